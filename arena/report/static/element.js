/* What all scripts of the page build with: elements whose texts are never read as markup. */
"use strict";

const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

/* A game, a move or an agent is told apart by the colour of its agent, as in the tables. */
const agentName = (label, colour) => {
  const made = element("span", {className: "agent", title: label}, label);
  if (colour) made.style.setProperty("--own", `var(--series-${colour})`);
  return made;
};
