// Files that the page hands to the reader: drawings as SVG and PNG, texts as they are.

const STYLES = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "font-family",
  "font-size",
  "font-weight",
  "opacity",
];

/** Offer a file for download. */
export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A drawing as it looks, in a file that needs no style sheet. */
export function standalone(picture) {
  const copy = picture.cloneNode(true);
  const [from, to] = [picture.querySelectorAll("*"), copy.querySelectorAll("*")];
  from.forEach((node, n) => {
    const style = getComputedStyle(node);
    for (const name of STYLES) to[n].setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "data-item", "tabindex", "href"]) to[n].removeAttribute(name);
  });
  // The file shows all of it, however far in or out the reader is.
  copy.removeAttribute("style");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  ground.setAttribute("width", "100%");
  ground.setAttribute("height", "100%");
  ground.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy);
}

export async function saveDrawing(picture, name, form) {
  const drawing = new Blob([standalone(picture)], { type: "image/svg+xml" });
  if (form === "svg") return save(drawing, `${name}.svg`);
  const image = new Image();
  image.src = URL.createObjectURL(drawing);
  await image.decode();
  const scale = Math.min(2, 8000 / image.width, 8000 / image.height);
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(image.width * scale);
  canvas.height = Math.ceil(image.height * scale);
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  canvas.toBlob((blob) => save(blob, `${name}.png`));
}
