/* The list of games: filters, leafs through, and follows links to a part of it
   (#games/SLUG/AGENT/AGAINST/RESULT/ENDED, each part encoded, "" for any; later ones may be left out).
   What a row holds is said in arena/report/games.py. */
"use strict";

(() => {
  if (!document.getElementById("games-data")) return;
  const {games, agents, endings, rows} = JSON.parse(document.getElementById("games-data").textContent);
  const {colours} = JSON.parse(document.getElementById("replay-about").textContent);
  const filter = document.getElementById("games-filter"), pager = document.getElementById("games-pager");
  const body = document.getElementById("games-rows");
  const NAMES = ["game", "agent", "against", "result", "ending"], ROWS = 50;
  const plain = ending => ending.replaceAll("_", " ");
  let found = rows, start = 0;

  const CHOICES = {
    game: games.map(([label, slug]) => [slug, label]),
    agent: agents.map(label => [label, label]),
    against: agents.map(label => [label, label]),
    result: [["win", "won"], ["draw", "drawn"], ["loss", "lost"]],
    ending: endings.map(ending => [ending, plain(ending)]),
  };
  for (const name of NAMES) {
    const options = [["", "any"], ...CHOICES[name]].map(([value, text]) => element("option", {value}, text));
    filter[name].append(...options);
    filter[name].parentElement.hidden = CHOICES[name].length < 2;
  }

  /* The seats whose result counts: the agent's, or the first where no agent is asked for. */
  function isWanted([, game, players, returns, ending], wanted) {
    const seats = players.flatMap((player, seat) => wanted.agent === "" || agents[player] === wanted.agent ? [seat] : []);
    const against = player => agents[player] === wanted.against;
    const counted = wanted.agent === "" ? [0] : seats;
    return (wanted.game === "" || games[game][1] === wanted.game)
      && (wanted.ending === "" || endings[ending] === wanted.ending)
      && seats.some(seat => wanted.against === "" || players.some((player, other) => other !== seat && against(player)))
      && (wanted.result === "" || counted.some(seat => resultOf(returns[seat]) === wanted.result));
  }

  const resultOf = utility => utility === 0 ? "draw" : utility > 0 ? "win" : "loss";

  function choose() {
    const wanted = Object.fromEntries(NAMES.map(name => [name, filter[name].value]));
    found = rows.filter(row => isWanted(row, wanted));
    turnTo(0);
  }

  function turnTo(first) {
    start = Math.max(0, first);
    const shown = found.slice(start, start + ROWS);
    body.replaceChildren(...shown.map(tableRow));
    const count = number => number.toLocaleString("en");
    pager.querySelector("span").textContent = found.length
      ? `${count(start + 1)}–${count(start + shown.length)} of ${count(found.length)}` : "no such game";
    pager.querySelector("[data-turn='-1']").disabled = start === 0;
    pager.querySelector("[data-turn='1']").disabled = start + ROWS >= found.length;
  }

  function tableRow([number, game, players, returns, ending, plies]) {
    const best = Math.max(...returns), drawn = document.getElementById(`replay-${number}`) !== null;
    const link = element("a", {href: `#game-${number}`, title: drawn ? "replay" : "not drawn in this report"}, `${number}`);
    const names = players.map((player, seat) => {
      const name = agentName(agents[player], colours[agents[player]]);
      if (returns[seat] === best && best > 0) name.classList.add("winner");
      return name;
    });
    const label = games[game][0], how = endings[ending] === "normal" ? "" : ` · ${plain(endings[ending])}`;
    const narrow = element("small", {}, label + how); /* what has columns of its own where there is room */
    const cells = [link, label, element("span", {className: "players"}, narrow, ...names),
                   score(returns), plain(endings[ending]), `${plies}`];
    const row = element("tr", {className: drawn ? "drawn" : ""}, ...cells.map(cell => element("td", {}, cell)));
    for (const cell of [...row.cells].slice(0, 3)) cell.className = "text";
    return row;
  }

  function score(returns) {
    const points = {"1": "1", "0": "½", "-1": "0"};
    const isPlain = returns.length === 2 && returns.every(utility => utility in points);
    return returns.map(utility => isPlain ? points[utility] : `${utility}`).join(isPlain ? "–" : "  ");
  }

  /* Part of a link, "" where it was cut off within a letter. */
  function decoded(part) {
    try {
      return decodeURIComponent(part);
    } catch {
      return "";
    }
  }

  function follow() {
    if (!location.hash.startsWith("#games/")) return;
    const parts = location.hash.split("/").slice(1).map(decoded);
    NAMES.forEach((name, place) => {
      filter[name].value = parts[place];
      if (filter[name].selectedIndex < 0) filter[name].selectedIndex = 0;
    });
    choose();
    document.getElementById("games").scrollIntoView({behavior: "instant"}); /* the way there may be long */
  }

  filter.addEventListener("change", () => {
    choose();
    const parts = NAMES.map(name => encodeURIComponent(filter[name].value));
    history.replaceState(null, "", `#games/${parts.join("/").replace(/\/+$/, "")}`);
  });
  pager.addEventListener("click", event => {
    const turn = event.target.closest("[data-turn]");
    if (turn) turnTo(start + Number(turn.dataset.turn) * ROWS);
  });
  addEventListener("hashchange", follow);
  filter.hidden = pager.hidden = false;
  document.getElementById("games-cut")?.remove();
  choose();
  follow();
})();
