"""Somebody else's `agents` or `envs` is noticed before it is imported."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import arena

HOME = Path(arena.__file__).parent.parent


def run_arena(*path, cwd=None):
    """Run `arena` with `path` searched first: like its console script, or in `cwd` like `python -m`."""
    code = "import sys; sys.argv[1:] = ['list', 'games']; from arena.cli import main; main()"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    command = [sys.executable, "-P", "-c", code] if cwd is None else [sys.executable, "-m", "arena", "--help"]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=cwd)


@pytest.fixture
def foreign(tmp_path):
    """A folder with another `agents`, which would say so if it were run."""
    package = tmp_path / "site" / "agents"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("print('foreign code ran')")
    return package.parent


def install(folder, name="openai-agents", version="0.9"):
    """Make `folder` look as if the distribution had been installed there."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (info / "top_level.txt").write_text("agents\n")
    (info / "RECORD").write_text("agents/__init__.py,,\n")


def test_our_own_packages_are_accepted(tmp_path):
    run = run_arena(tmp_path, HOME)
    assert run.returncode == 0, run.stderr
    assert "hex" in run.stdout


def test_another_distribution_is_named_with_the_remedy(foreign):
    install(foreign)
    run = run_arena(foreign, HOME)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == (
        f"arena: Python finds somebody else's package 'agents': {foreign / 'agents' / '__init__.py'}, "
        "installed by openai-agents 0.9. Remedy: install game-ai-arena in a virtual environment of its own, "
        "without openai-agents.\n"
    )


def test_a_folder_that_nobody_installed_is_named(foreign):
    run = run_arena(foreign, HOME)
    assert (run.returncode, run.stdout) == (2, "")
    assert f"'agents': {foreign / 'agents' / '__init__.py'}, which no distribution installed" in run.stderr
    assert "Remedy: run arena from another folder, or take that one off PYTHONPATH." in run.stderr


def test_a_folder_of_another_project_in_the_current_folder_is_noticed(foreign):
    run = run_arena(HOME, cwd=foreign)
    assert (run.returncode, run.stdout) == (2, "")
    assert "somebody else's package 'agents'" in run.stderr


def copy_of_arena(tmp_path, agents_init):
    """Lay out an installation in which another distribution wrote over `agents/__init__.py`."""
    site = tmp_path / "site-packages"
    for package in ("arena", "envs", "agents"):
        shutil.copytree(HOME / package, site / package, ignore=shutil.ignore_patterns("__pycache__"))
    if agents_init is None:
        (site / "agents" / "__init__.py").unlink()
    else:
        (site / "agents" / "__init__.py").write_text(agents_init)
    return site


def test_a_package_that_another_distribution_wrote_over_is_noticed(tmp_path):
    site = copy_of_arena(tmp_path, "print('foreign code ran')")
    install(site)
    run = run_arena(site)
    assert (run.returncode, run.stdout) == (2, "")
    assert "installed by openai-agents 0.9" in run.stderr


def test_two_copies_of_arena_are_not_mixed(tmp_path):
    site = copy_of_arena(tmp_path, None)
    run = run_arena(site, HOME)
    assert run.returncode == 2
    assert f"'arena' is {site / 'arena'}, 'agents' is {HOME / 'agents'}" in run.stderr


def test_a_package_left_incomplete_is_noticed(tmp_path):
    run = run_arena(copy_of_arena(tmp_path, None))
    assert run.returncode == 2
    # Where Arena is installed as well, what is missing is found there, and the copies are mixed.
    assert "Remedy: " in run.stderr
    assert "install game-ai-arena again." in run.stderr
