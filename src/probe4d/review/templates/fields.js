// Parts of a form that tell what was chosen or written, each time it changes.
function radiosOf(name, entries, chosen, choose) {
  return entries.map(([value, text]) => {
    const input = element("input", { type: "radio", name, value });
    input.checked = value === chosen;
    input.addEventListener("change", () => choose(value));
    return element("label", { class: "choice" }, input, element("span", {}, text));
  });
}

function textField(title, value, write) {
  const input = element("textarea", { maxlength: "20000" });
  input.value = value ?? "";
  input.addEventListener("input", () => write(input.value));
  return element("label", { class: "field" }, title, input);
}

