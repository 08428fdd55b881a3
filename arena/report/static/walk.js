// A recorded walk of minimax, replayed: nodes are entered, ends of the game have values, and values are carried up.
// The small tree is drawn already and only shown bit by bit; of a large one there are the path and its siblings.
"use strict";
(() => {
  const TURNS = { M: "▲", m: "▼", ".": "■" };
  const PAUSE = 500; // milliseconds between steps while it plays

  /** Return the nodes, in the order in which they were entered, and the steps: i enters node i, ~i leaves it. */
  function read(data) {
    const nodes = [], steps = [], open = [];
    const leave = () => {
      const node = open.pop();
      nodes[node].left = steps.push(~node);
    };
    data.level.forEach((level, index) => {
      while (open.length > level) leave();
      const parent = open.length ? open[open.length - 1] : -1;
      const entered = steps.push(index);
      nodes.push({
        index, level, parent, entered, left: 0, children: [],
        name: data.names[data.name[index]], turn: data.turn[index], value: data.value[index],
      });
      if (parent >= 0) nodes[parent].children.push(index);
      open.push(index);
    });
    while (open.length) leave();
    return { nodes, steps };
  }

  /* As `worth` of arena/report/walks.py writes it: nothing is less than zero by rounding. */
  function worth(value) {
    const text = Math.abs(value).toFixed(Number.isInteger(value) ? 0 : 2);
    return (value === 0 ? "" : value < 0 && Number(text) !== 0 ? "−" : "+") + text;
  }

  /** Return the nodes from the root to the one that the last step was about. */
  function pathAt({ nodes, steps }, step) {
    const path = [];
    if (step === 0) return path;
    const last = steps[step - 1];
    for (let node = last < 0 ? ~last : last; node >= 0; node = nodes[node].parent) path.unshift(node);
    return path;
  }

  function told({ nodes, steps }, step) {
    if (step === 0) return "Nothing is entered yet.";
    const last = steps[step - 1], node = nodes[last < 0 ? ~last : last];
    const where = node.name ? `ply ${node.level}, ${node.name}` : "the root";
    if (last >= 0) return `${where}: entered, ${{ M: "max to move", m: "min to move", ".": "the game is over" }[node.turn]}`;
    return `${where}: ${node.turn === "." ? "worth" : "carried up"} ${worth(node.value)}`;
  }

  /** Show in the tree that is drawn what has happened by a step. */
  function showTree(tree, carried, walk, step) {
    const path = pathAt(walk, step);
    for (const part of tree.querySelectorAll("[data-node]")) {
      const node = walk.nodes[part.dataset.node];
      part.classList.toggle("unseen", node.entered > step);
      part.classList.toggle("open", node.left > step);
      part.classList.toggle("path", path.includes(node.index));
      if (carried.has(part)) part.classList.toggle("carried", walk.nodes[node.parent].left <= step);
    }
    bringIntoSight(tree, tree.querySelector(`g[data-node="${path.at(-1) ?? 0}"]`));
  }

  /** Scroll a wide tree within its box, and nothing else, as far to the right as a node needs. */
  function bringIntoSight(tree, node) {
    const right = node.getBoundingClientRect().right - tree.getBoundingClientRect().left;
    tree.parentElement.scrollLeft = right - tree.parentElement.clientWidth;
  }

  /** List the path and its siblings, a column a ply, as far as they are entered by a step. */
  function showColumns(box, walk, step) {
    const path = pathAt(walk, step);
    const columns = [[0], ...path.map((node) => walk.nodes[node].children)];
    box.replaceChildren(...columns.map((column) => list(walk, step, column, path)).filter((each) => each.children.length));
    box.scrollLeft = box.scrollWidth;
  }

  function list(walk, step, column, path) {
    const entered = column.map((index) => walk.nodes[index]).filter((node) => node.entered <= step);
    return element("ol", {}, ...entered.map((node) => item(node, node.left <= step, path.includes(node.index))));
  }

  function item(node, done, onPath) {
    const side = node.value > 0 ? " win" : node.value < 0 ? " loss" : "";
    const made = element("li", { className: (done ? "done" : "") + (onPath ? " path" : "") + side },
      element("span", { className: "turn" }, TURNS[node.turn]),
      element("span", { className: "name" }, node.name || "root"),
      element("span", { className: "value" }, done ? worth(node.value) : "…"));
    made.style.setProperty("--part", `${100 * Math.abs(node.value)}%`);
    return made;
  }

  function start(root) {
    const walk = read(JSON.parse(root.querySelector("script").textContent));
    const tree = root.querySelector(".walk-tree"), columns = root.querySelector(".columns");
    const carried = new Set(tree?.querySelectorAll(".carried"));
    const slider = root.querySelector("input"), status = root.querySelector("output");
    const button = root.querySelector("[data-do=play]"), end = walk.steps.length;
    let at = end, timer = 0;

    function show(step) {
      at = Math.max(0, Math.min(end, step));
      slider.value = at;
      status.textContent = `Step ${at} of ${end}: ${told(walk, at)}`;
      if (tree) showTree(tree, carried, walk, at);
      else showColumns(columns, walk, at);
    }

    function run(on) {
      clearInterval(timer);
      timer = on ? setInterval(() => (at < end ? show(at + 1) : run(false)), PAUSE) : 0;
      button.classList.toggle("playing", on);
      button.setAttribute("aria-pressed", on);
    }

    function play() {
      if (!timer && at === end) show(0);
      run(!timer);
    }

    const step = (to) => () => { run(false); show(to()); };
    const does = {
      first: step(() => 0), back: step(() => at - 1), forward: step(() => at + 1), last: step(() => end), play,
    };
    const keys = { Home: "first", ArrowLeft: "back", ArrowRight: "forward", End: "last", " ": "play" };

    root.addEventListener("keydown", (event) => {
      const name = keys[event.key];
      if (!name || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === " " && event.target.closest("button")) return; // which it presses
      event.preventDefault();
      does[name]();
    });
    root.addEventListener("click", (event) => does[event.target.closest("[data-do]")?.dataset.do]?.());
    slider.max = end;
    slider.addEventListener("input", step(() => Number(slider.value)));
    root.querySelector(".controls").hidden = false;
    show(end);
  }

  for (const root of document.querySelectorAll(".walk")) start(root);
})();
