// Returns the texts of a page that stand out too little from their ground, by WCAG 2.1 (1.4.3): each with its
// contrast and where it is. Texts of charts stand on the page's ground; those of boards and trees are on shapes, and
// are left out.
const brush = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });

function over(ground, colour) {  // what is seen of a colour painted on a ground
  brush.fillStyle = `rgb(${ground})`;
  brush.fillRect(0, 0, 1, 1);
  brush.fillStyle = colour;
  brush.fillRect(0, 0, 1, 1);
  return [...brush.getImageData(0, 0, 1, 1).data].slice(0, 3);
}

function ground(element) {
  const below = element.parentElement ? ground(element.parentElement) : [255, 255, 255];
  return over(below, getComputedStyle(element).backgroundColor);
}

function luminance(colour) {
  const [r, g, b] = colour.map(c => c / 255).map(c => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function needed(style) {
  const size = parseFloat(style.fontSize);
  return size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
}

function isText(element) {
  const words = [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
  return words && !element.closest("svg:not(.chart *), script, style, :disabled") && element.checkVisibility();
}

return [...document.body.querySelectorAll("*")].filter(isText).flatMap(element => {
  const style = getComputedStyle(element), below = ground(element);
  const ratio = contrast(over(below, element.closest("svg") ? style.fill : style.color), below);
  const where = `${element.closest("[id]")?.id} ${element.tagName} ${element.getAttribute("class") ?? ""} ${element.textContent.trim().slice(0, 40)}`;
  return ratio < needed(style) ? [`${ratio.toFixed(2)}: ${where}`] : [];
});
