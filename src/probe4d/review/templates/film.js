// The frames of a question: one is shown large, the others by buttons or by turning forward and back.
function filmOf(item, pictures) {
  if (!item.pictures.length) {
    return { shown: item.problem ? element("p", { class: "intro" }, `No picture: ${item.problem}`) : null, turn: () => {} };
  }
  const large = element("img", { class: "large" });
  const buttons = item.pictures.map((_, place) => {
    const button = element("button", { type: "button" }, `frame ${item.labels[place]}`);
    button.addEventListener("click", () => turnTo(place));
    return button;
  });
  let at = item.opened;
  function turnTo(place) {
    at = Math.min(item.pictures.length - 1, Math.max(0, place));
    large.src = `data:image/jpeg;base64,${pictures[item.pictures[at]]}`;
    large.alt = `Frame ${item.labels[at]}, ${at + 1} of ${item.pictures.length}`;
    buttons.forEach((button, number) => button.setAttribute("aria-pressed", String(number === at)));
  }
  turnTo(at);
  const strip = element("div", { class: "strip", role: "group", "aria-label": "Frames" }, ...buttons);
  return { shown: element("div", { class: "film" }, large, strip), turn: (by) => turnTo(at + by) };
}

