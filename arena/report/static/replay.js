/* Replays: unpacks the game that the address names (#game-17, #game-17-ply-5) and steps through it.
   What a packed game holds is said in arena/report/replays.py. */
"use strict";

(() => {
  const panel = document.getElementById("replay");
  if (!panel || !globalThis.DecompressionStream) return; /* in an old browser, what stands there remains */
  const {run, colours} = JSON.parse(document.getElementById("replay-about").textContent);
  const part = name => panel.querySelector(`.replay-${name}`);
  const [board, controls, slider, now, values, moves] =
    ["board", "controls", "slider", "now", "values", "moves"].map(part);
  const drawn = [...document.querySelectorAll("script[id^=replay-][type='text/plain']")].map(
    packed => Number(packed.id.slice("replay-".length)));
  const LINK = /^#game-(\d+)(?:-ply-(\d+))?$/;
  const SECONDS_A_PLY = 0.8, SWIPE = 40;
  let film = null, asked = null, ply = 0, shaded = true, timer = 0;

  async function unpacked(number) {
    const packed = document.getElementById(`replay-${number}`).textContent;
    const bytes = Uint8Array.from(atob(packed), letter => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).json();
  }

  async function open(number, at) {
    stop();
    asked = number;
    if (film?.number !== number) {
      const found = await unpacked(number);
      if (asked !== number) return; /* another one was asked for meanwhile */
      film = found;
      setUp();
    }
    show(at ?? 0);
  }

  /* What stays while a game is stepped through. */
  function setUp() {
    part("title").replaceChildren(
      element("a", {href: `#game-${film.number}`}, `Game ${film.number}`), " ",
      element("small", {}, film.game), " ",
      ...film.players.flatMap((label, seat) => [seat ? " v " : "", agentName(label, colours[label])]),
      element("span", {className: "replay-others screen"}, ...others()));
    const sizes = film.pool.map(tag => /^<svg [^>]*viewBox="\S+ \S+ (\S+) (\S+)"/.exec(tag)).filter(Boolean);
    const width = Math.max(...sizes.map(size => size[1])), height = Math.max(...sizes.map(size => size[2]));
    board.style.setProperty("--ratio", sizes.length ? width / height : "auto"); /* a game may draw as it likes */
    board.style.setProperty("--width", `${width}px`);
    slider.max = film.plies.length;
    controls.querySelector("[data-do=visits]").disabled = !film.visits.some(Boolean);
    listMoves();
    drawValues();
  }

  /* Links to the games that are drawn before and after this one. */
  function others() {
    const place = drawn.indexOf(film.number);
    const link = (number, text, label) => number === undefined ? ""
      : element("a", {href: `#game-${number}`, className: "pill", title: label, ariaLabel: `${label}: ${number}`}, text(number));
    return [link(drawn[place - 1], number => `‹ ${number}`, "previous game drawn"),
            link(drawn[place + 1], number => `${number} ›`, "next game drawn")];
  }

  function listMoves() {
    const row = (number, ...cells) => {
      const made = element("tr", {}, ...cells.map(cell => element("td", {}, cell)));
      made.dataset.ply = number;
      return made;
    };
    const rows = film.plies.map((told, number) => row(
      number, `${number}`,
      element("a", {href: `#game-${film.number}-ply-${number}`}, told.move),
      told.agent ? agentName(told.agent, colours[told.agent]) : element("i", {}, told.by),
      told.facts?.value ?? "", told.facts?.chosen ?? ""));
    const end = element("a", {href: `#game-${film.number}-ply-${film.plies.length}`}, "end");
    rows.push(row(film.plies.length, "", end, film.outcome));
    Object.assign(rows.at(-1).lastChild, {colSpan: 3, title: film.outcome});
    const heads = ["ply", "move", "by", "value", "share"].map(head => element("th", {scope: "col"}, head));
    moves.replaceChildren(element("table", {},
      element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows)));
  }

  function show(number) {
    ply = Math.max(0, Math.min(number, film.plies.length));
    const picture = (shaded && film.visits[ply]) || film.plain[ply];
    board.innerHTML = picture.map(place => film.pool[place]).join("");
    const told = film.plies[ply];
    markChosen(told);
    now.replaceChildren(...(told ? moveTold(told) : endTold()));
    slider.value = ply;
    slider.setAttribute("aria-valuetext", told ? `ply ${ply} of ${film.plies.length}` : "the end");
    for (const name of ["first", "back"]) button(name).disabled = ply === 0;
    for (const name of ["forward", "last"]) button(name).disabled = !told;
    markMove();
    panel.dataset.game = film.number;
    panel.dataset.ply = ply;
  }

  /* Rims the cell of the move that is played next; pictures name what they have visits of. */
  function markChosen(told) {
    const named = [...board.querySelectorAll("title")].find(
      title => title.textContent.startsWith(`${told?.move}: `));
    if (!named) return;
    const rim = named.parentElement.cloneNode(false);
    rim.setAttribute("class", "chosen");
    named.parentElement.parentElement.append(rim); /* on top of the cells around it */
  }

  function moveTold(told) {
    const who = told.agent ? [agentName(told.agent, colours[told.agent]), " plays "] : [`${told.by}: `];
    const facts = Object.entries(told.facts ?? {}).map(([name, text]) =>
      element("div", {}, element("dt", {}, NAMES[name]), element("dd", {}, text)));
    return [element("p", {}, element("small", {}, `ply ${ply} of ${film.plies.length}`), " ", ...who,
                    element("b", {}, told.move)),
            element("dl", {}, ...facts)];
  }
  const NAMES = {value: "value", time: "time", overshoot: "late by", simulations: "simulations",
                 depth: "depth", chosen: "share of visits"};

  function endTold() {
    const fault = film.fault?.detail
      ? [element("details", {open: true}, element("summary", {}, "What is known of it"), element("pre", {}, film.fault.detail))]
      : [];
    return [element("p", {}, element("small", {}, "at the end"), " ", element("b", {}, film.outcome)), ...fault];
  }

  function markMove() {
    moves.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const row = moves.querySelector(`[data-ply="${ply}"]`);
    row.setAttribute("aria-current", "true");
    moves.scrollTop = row.offsetTop - moves.clientHeight / 2; /* not scrollIntoView, which moves the page too */
    const cursor = values.querySelector(".cursor");
    cursor?.setAttribute("x1", ply);
    cursor?.setAttribute("x2", ply);
  }

  /* The values that the agents gave the position, for the first seat; beyond two players each for itself. */
  function drawValues() {
    const length = Math.max(1, film.plies.length), lines = {};
    film.plies.forEach((told, number) => {
      if (told.value == null) return;
      const value = film.players.length === 2 && told.seat === 1 ? -told.value : told.value;
      (lines[told.seat] ??= []).push(`${number},${-value}`);
    });
    const polylines = Object.entries(lines).filter(([, points]) => points.length > 1).map(([seat, points]) =>
      `<polyline points="${points.join(" ")}" style="stroke: var(--series-${colours[film.players[seat]]})"/>`);
    values.hidden = !polylines.length;
    const [top, bottom] = film.players.length === 2 ? film.players.map(label => `better for ${label}`) : ["+1", "−1"];
    values.innerHTML = `<svg viewBox="0 -1.1 ${length} 2.2" preserveAspectRatio="none" aria-hidden="true">
      <line class="zero" x1="0" x2="${length}" y1="0" y2="0"/>${polylines.join("")}
      <line class="cursor" y1="-1.1" y2="1.1"/></svg>`;
    values.append(element("small", {}, top), element("small", {}, bottom));
  }

  const button = name => controls.querySelector(`[data-do=${name}]`);

  /* Goes to a ply, and lets the address name it; what is stepped over is no history to go back through. */
  function go(number) {
    show(number);
    history.replaceState(null, "", `#game-${film.number}-ply-${ply}`);
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    button("play").classList.remove("playing");
    button("play").setAttribute("aria-pressed", "false");
  }

  function play() {
    if (timer) return stop();
    if (ply === film.plies.length) go(0);
    timer = setInterval(() => ply < film.plies.length ? go(ply + 1) : stop(), 1000 * SECONDS_A_PLY);
    button("play").classList.add("playing");
    button("play").setAttribute("aria-pressed", "true");
  }

  function turnVisits() {
    shaded = !shaded;
    button("visits").setAttribute("aria-pressed", shaded);
    show(ply);
  }

  const step = to => () => { stop(); go(to()); };
  const DOES = {
    first: step(() => 0), back: step(() => ply - 1), forward: step(() => ply + 1),
    last: step(() => film.plies.length), play, visits: turnVisits,
  };
  const KEYS = {Home: "first", ArrowLeft: "back", ArrowRight: "forward", End: "last", " ": "play", v: "visits"};

  /* Keys are the replay's where it has the focus; arrows and v also where nothing has it and it is in sight. */
  function isForReplay(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (panel.contains(event.target)) return !(event.key === " " && event.target.closest("button, a, summary"));
    const {top, bottom} = board.getBoundingClientRect();
    return event.target === document.body && !["Home", "End", " "].includes(event.key)
      && bottom > 0 && top < innerHeight;
  }

  document.addEventListener("keydown", event => {
    const name = KEYS[event.key];
    if (!name || !film || !isForReplay(event)) return;
    event.preventDefault();
    DOES[name]();
  });
  controls.addEventListener("click", event => {
    const pressed = event.target.closest("[data-do]");
    if (!pressed) return;
    DOES[pressed.dataset.do]();
    if (pressed.disabled) panel.focus({preventScroll: true}); /* or keys would find nothing that has the focus */
  });
  slider.addEventListener("input", step(() => Number(slider.value)));
  values.addEventListener("click", event => {
    const {left, width} = values.getBoundingClientRect();
    stop();
    go(Math.round((event.clientX - left) / width * film.plies.length));
  });

  let touched = null;
  board.addEventListener("pointerdown", event => { touched = event.clientX; });
  board.addEventListener("pointerup", event => {
    const moved = touched === null ? 0 : event.clientX - touched;
    touched = null;
    if (film && Math.abs(moved) > SWIPE) DOES[moved < 0 ? "forward" : "back"]();
  });

  function missing(number) {
    stop();
    film = asked = null;
    panel.classList.add("missing");
    part("title").replaceChildren(`Game ${number}`);
    const name = /^[\w./-]+$/.test(run) ? run : `'${run.replaceAll("'", "'\\''")}'`;
    now.replaceChildren(
      element("p", {}, "This game is not drawn in this report. To have it here, or to replay it in a terminal:"),
      element("pre", {}, `arena report ${name} --game ${number}\narena show ${name} --game ${number}`));
  }

  async function route() {
    const named = LINK.exec(location.hash);
    if (!named) return;
    const number = Number(named[1]);
    if (drawn.includes(number)) {
      panel.classList.remove("missing");
      await open(number, named[2] && Number(named[2]));
    } else missing(number);
    panel.scrollIntoView({behavior: "instant"}); /* the way there may be long */
    panel.focus({preventScroll: true});
  }

  addEventListener("hashchange", route);
  controls.hidden = false;
  if (LINK.test(location.hash)) route();
  else {
    /* The first search, for it shows what a board can tell; on paper and without scripts it is the end. */
    open(Number(LINK.exec(part("title").querySelector("a").hash)[1]))
      .then(() => show(Math.max(0, film.visits.findIndex(Boolean))));
  }
})();
