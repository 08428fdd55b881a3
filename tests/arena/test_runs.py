"""Run folders: numbered, never shared, never outside their parent."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from arena.runs import distinct, new_run_folder


def test_numbers_go_on_above_the_highest_there_is(tmp_path):
    parent = tmp_path / "deep" / "runs"
    assert new_run_folder(parent, "hex") == parent / "hex-1"
    (parent / "hex-9").mkdir()
    (parent / "hex-evening-50").mkdir()
    (parent / "hex-x").mkdir()
    assert new_run_folder(parent, "hex") == parent / "hex-10"
    assert new_run_folder(parent, "go") == parent / "go-1"


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("a/../b c", "a-..-b-c-1"),
        ("../..", "run-1"),
        ("", "run-1"),
        ("[bold]", "bold-1"),
        ("x" * 300, "x" * 60 + "-1"),
        ("Größe", "Größe-1"),
    ],
)
def test_names_are_made_harmless(tmp_path, name, folder):
    made = new_run_folder(tmp_path, name)
    assert made.name == folder
    assert made.parent == tmp_path


def test_runs_that_start_at_once_never_share_a_folder(tmp_path):
    with ThreadPoolExecutor(8) as threads:
        folders = list(threads.map(lambda _: new_run_folder(tmp_path, "league"), range(100)))
    assert len(set(folders)) == 100
    assert all(folder.is_dir() for folder in folders)


def test_a_parent_that_is_a_file_is_an_error(tmp_path):
    (tmp_path / "runs").write_text("")
    with pytest.raises(OSError, match="runs"):
        new_run_folder(tmp_path / "runs", "league")


def test_names_are_made_distinct_case_aside():
    assert distinct(["hex-3", "HEX-3", "hex-3", "go", "hex-3-2"]) == [
        "hex-3",
        "HEX-3-2",
        "hex-3-3",
        "go",
        "hex-3-2-2",
    ]
