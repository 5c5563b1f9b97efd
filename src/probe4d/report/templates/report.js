// The browser of questions: filters, list, one question, keyboard.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { questions, runs, models, answers, texts, states, compared } = data;
  const size = questions.id.length;
  const at = (id) => document.getElementById(id);
  const judged = models.length ? models : runs;
  const CHUNK = 150;
  const picture = pictureDrawer(data);

  // ---- answers -------------------------------------------------------------------------------------

  const letter = (place) => String.fromCharCode(65 + place);

  const VERDICTS = { right: "✓", wrong: "✗", invalid: "?", scored: "•", unscored: "–" };

  function outcome(run, index) {
    return judgement(answers[run].state[index], answers[run].correct[index]);
  }

  function judgement(state, correct) {
    if (state === null) return "unscored";
    if (correct === 1) return "right";
    if (state === 0 && correct === null) return "scored";
    return state === 0 ? "wrong" : "invalid";
  }

  function changeOf(comparison, index) {
    const change = compared[comparison].change[index];
    return change === null ? null : data.changes[change];
  }

  // ---- filters -------------------------------------------------------------------------------------

  const filters = {};
  for (const name of ["search", "family", "template", "relation", "run", "outcome", "change", "scene", "image"]) filters[name] = at(name);

  function fill(select, entries) {
    for (const [value, text] of entries) select.append(element("option", { value }, text));
  }

  const distinct = (values) => [...new Set(values.filter((value) => value !== null))];
  const same = (values) => values.map((value) => [value, value]);
  const named = (values) => values.map((value) => [value, data.words[value]]);
  const kinds = questions.family.map((family, index) => `${data.words[family]} ${questions.format[index]}`);
  fill(filters.family, [["", "all"], ...named(distinct(questions.family)), ...same(distinct(kinds).sort())]);
  fill(filters.template, [["", "all"], ...named(distinct(questions.template).sort())]);
  fill(filters.relation, [["", "all"], ...named(distinct(questions.relation).sort())]);
  fill(filters.run, [...judged, ...runs.filter((name) => !judged.includes(name))].map((name) => [String(runs.indexOf(name)), name]));
  fill(filters.outcome, [["", "any"], ["right", "right"], ["wrong", "wrong"], ["scored", "scored"], ["invalid", "no valid answer"]]);
  fill(filters.scene, [["", "all"], ...same(distinct(questions.scene).sort())]);
  fill(filters.change, [["", "any"]]);
  compared.forEach((comparison, number) => {
    for (const change of data.changes) fill(filters.change, [[`${number} ${change}`, `${change}: ${comparison.name}`]]);
  });
  filters.change.disabled = compared.length === 0;
  filters.template.disabled = distinct(questions.template).length === distinct(kinds).length;
  filters.relation.disabled = filters.relation.options.length === 1;
  fill(filters.image, [["", "any"], ["here", "on this page"]]);
  filters.image.disabled = !Object.values(data.photographs).some((one) => one.jpeg);

  const hasImage = (index) => Boolean(data.pictures?.[index]?.panels.some((one) => data.photographs[one.photograph]?.jpeg));

  const haystack = questions.id.map((id, index) =>
    [id, questions.text[index] ?? "", ...questions.options[index], questions.scene[index]].join("\n").toLowerCase());

  function passes(index, wanted) {
    if (wanted.family && questions.family[index] !== wanted.family && kinds[index] !== wanted.family) return false;
    if (wanted.template && questions.template[index] !== wanted.template) return false;
    if (wanted.image && !hasImage(index)) return false;
    if (wanted.relation && questions.relation[index] !== wanted.relation) return false;
    if (wanted.scene && questions.scene[index] !== wanted.scene) return false;
    if (wanted.outcome && outcome(Number(wanted.run), index) !== wanted.outcome) return false;
    if (wanted.change) {
      const [number, change] = wanted.change.split(" ");
      if (changeOf(Number(number), index) !== change) return false;
    }
    return wanted.words.every((word) => haystack[index].includes(word));
  }

  let found = [];
  let drawn = 0;
  let current = -1; // position in `found`

  function refilter() {
    const wanted = Object.fromEntries(Object.entries(filters).map(([name, input]) => [name, input.value]));
    wanted.words = wanted.search.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = found[current];
    found = [];
    for (let index = 0; index < size; index += 1) if (passes(index, wanted)) found.push(index);
    at("count").textContent = `${found.length.toLocaleString("en")} of ${size.toLocaleString("en")} questions here`;
    at("list").replaceChildren();
    drawn = 0;
    more();
    const position = found.indexOf(kept);
    select(position >= 0 ? position : found.length ? 0 : -1);
  }

  // ---- list ----------------------------------------------------------------------------------------

  function item(position) {
    const index = found[position];
    const marks = element("span", { class: "marks" });
    for (const name of judged) {
      const verdict = outcome(runs.indexOf(name), index);
      marks.append(element("span", { class: verdict, title: `${name}: ${verdict}` }, VERDICTS[verdict]));
    }
    const entry = element("li", { role: "option", id: `item-${position}`, "aria-selected": "false" },
      element("span", { class: "stem" }, questions.text[index] ?? `(${questions.family[index]}; text not released)`),
      element("span", { class: "meta" }, `${template(index) ?? kinds[index]} · ${questions.scene[index]}`, marks));
    entry.addEventListener("click", () => choose(position));
    return entry;
  }

  function more() {
    const until = Math.min(found.length, drawn + CHUNK);
    const added = [];
    for (; drawn < until; drawn += 1) added.push(item(drawn));
    at("list").append(...added);
  }

  function choose(position) {
    select(position);
    if (position >= 0) history.replaceState(null, "", `#q=${questions.id[found[position]]}`);
  }

  function select(position) {
    at(`item-${current}`)?.setAttribute("aria-selected", "false");
    current = position;
    if (position < 0) {
      at("list").removeAttribute("aria-activedescendant");
      at("detail").replaceChildren(element("p", { class: "intro" }, "No question here passes all filters."));
      return;
    }
    while (drawn <= position) more();
    const entry = at(`item-${position}`);
    entry.setAttribute("aria-selected", "true");
    at("list").setAttribute("aria-activedescendant", entry.id);
    revealIn(at("list"), entry);
    show(found[position]);
  }

  // ---- one question --------------------------------------------------------------------------------

  function show(index) {
    const parts = [
      element("h3", {}, questions.text[index] ?? "The text of this question was not released."),
      options(index),
      element("p", { class: "meta" }, [kinds[index], template(index), questions.scene[index], questions.id[index]].filter(Boolean).join(" · ")),
      picture(index),
      element("h4", {}, "Answers"),
      answered(index),
      element("h4", {}, "How the answer was measured"),
      measured(index),
      related(index),
    ];
    at("detail").replaceChildren(...parts.filter(Boolean));
  }

  // The template, where family and format do not tell it.
  function template(index) {
    const name = questions.template[index];
    return name === `${questions.family[index]}-${questions.format[index]}` ? null : data.words[name];
  }

  function options(index) {
    const answer = questions.answer[index];
    const list = element("ul", { class: "options" });
    const words = questions.format[index] === "text" && questions.options[index].length;
    if (words) list.append(element("li", {}, `one of: ${questions.options[index].join(", ")}`));
    if (!words) questions.options[index].forEach((text, place) => {
      const right = letter(place) === answer;
      list.append(element("li", right ? { class: "right" } : {}, `${letter(place)}. ${text}${right ? "  (reference)" : ""}`));
    });
    const unit = questions.unit[index] === null ? "" : ` ${questions.unit[index]}`;
    const number = questions.format[index] === "interval" ? `frames ${answer.replace("-", " to ")}` : answer + unit;
    if (words || !questions.options[index].length) list.append(element("li", { class: "right" }, `${number}  (reference)`));
    return list;
  }

  const unasked = (own, index) => own.state[index] === null && answers.some((one) => one.state[index] !== null);

  function answered(index) {
    const body = element("tbody");
    runs.forEach((name, run) => {
      const own = answers[run];
      if (!models.includes(name) && unasked(own, index)) return; // a control answers some formats alone
      const asked = own.variants?.[index] ?? [];
      const changes = compared.map((comparison, number) => (comparison.run === name ? changeOf(number, index) : null));
      const [first, ...others] = asked.length ? asked : [[null, own.label[index], own.state[index], own.correct[index], own.text[index], 0]];
      body.append(...reply(index, name, first, changes.filter(Boolean), shown(own, index)));
      for (const other of others) body.append(...reply(index, name, other, [], null));
    });
    const head = element("tr", {}, ...["Run", "Answer", "Outcome", "Reply"].map((text) => element("th", { scope: "col" }, text)));
    return element("div", { class: "wide" }, element("table", { class: "answers" }, element("thead", {}, head), body));
  }

  // Rows of one answer. Its label is a letter of the question; with rotated options the model saw another letter.
  function reply(index, name, [variant, label, stateNumber, correct, text, rotation], changes, note) {
    const verdict = judgement(stateNumber, correct);
    const notAsked = unasked(answers[runs.indexOf(name)], index);
    const state = states[stateNumber] ?? (notAsked ? "not asked" : "not scored");
    const told = [verdict === "invalid" ? `invalid: ${state}` : verdict, ...changes].join(", ");
    const count = questions.options[index].length;
    const turned = rotation && count;
    const seen = turned && label !== null ? `, shown as ${letter((label.charCodeAt(0) - 65 - rotation + count) % count)}` : "";
    const aside = [note, turned ? order(index, rotation) : null].filter(Boolean).join(" ");
    const row = element("tr", aside ? { class: "noted" } : {},
      element("td", {}, name, variant === null ? null : element("span", { class: "variant" }, variant)),
      element("td", {}, `${label ?? state}${seen}`),
      element("td", { class: verdict }, notAsked ? VERDICTS[verdict] : `${VERDICTS[verdict]} ${told}`),
      element("td", { class: "reply" }, text === null ? "" : texts[text]));
    return aside ? [row, element("tr", {}, element("td", { class: "aside", colspan: "4" }, aside))] : [row];
  }

  function order(index, rotation) {
    const options = questions.options[index];
    return `Options as shown: ${options.map((_, place) => `${letter(place)}. ${options[(place + rotation) % options.length]}`).join(", ")}.`;
  }

  function shown(own, index) {
    const one = own.shown?.of[index];
    if (!one) return null;
    const [frames, digest, scene, answer] = one;
    const from = scene === null ? null : `of ${scene}${answer === null ? "" : `, where ${answer} is right`}`;
    const which = [frames === null ? null : `key ${frames}`, from].filter(Boolean).join(" ");
    return `Shown ${own.shown.what}${which && `: ${which}`}.${digest === null ? "" : ` Evidence ${digest}.`}`;
  }

  function measured(index) {
    const body = element("tbody");
    for (const [name, value] of questions.measured[index]) {
      body.append(element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value)));
    }
    return element("table", { class: "measured" }, body);
  }

  function related(index) {
    const known = questions.links[index].map((id) => questions.id.indexOf(id)).filter((place) => place >= 0);
    if (!known.length) return null;
    const list = element("ul");
    for (const place of known) {
      const link = element("a", { href: `#q=${questions.id[place]}` }, questions.text[place] ?? questions.id[place]);
      list.append(element("li", {}, link, ` ${questions.answer[place]}`));
    }
    return element("div", {}, element("h4", {}, "Same object, opposite answer"), list);
  }

  // ---- keyboard and start --------------------------------------------------------------------------

  function step(by) {
    if (found.length) choose(Math.min(found.length - 1, Math.max(0, current + by)));
  }

  const MOVES = {
    j: () => step(1), k: () => step(-1), ArrowDown: () => step(1), ArrowUp: () => step(-1),
    PageDown: () => step(10), PageUp: () => step(-10), Home: () => step(-size), End: () => step(size),
    Enter: () => at("detail").focus(),
  };

  at("list").addEventListener("keydown", (event) => {
    if (!MOVES[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    MOVES[event.key]();
  });
  at("list").addEventListener("scroll", (event) => {
    const { scrollTop, clientHeight, scrollHeight } = event.target;
    if (scrollTop + clientHeight > scrollHeight - 400) more();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input, select, textarea");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/" && !typing) {
      event.preventDefault();
      filters.search.focus();
    } else if (event.key === "Escape" && at("questions").contains(event.target)) {
      at("list").focus();
    } else if ((event.key === "j" || event.key === "k") && !typing && event.target !== at("list")) {
      at("list").focus({ preventScroll: event.target === at("detail") });
      MOVES[event.key]();
    }
  });

  function follow() {
    const id = /^#q=([0-9a-f]+)$/.exec(location.hash)?.[1];
    const index = id === undefined ? -1 : questions.id.indexOf(id);
    if (index < 0) return;
    if (!found.includes(index)) {
      at("filters").reset();
      refilter();
    }
    select(found.indexOf(index));
    at("questions").scrollIntoView();
  }

  filters.search.addEventListener("input", refilter);
  at("filters").addEventListener("change", refilter);
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("filters").addEventListener("reset", () => setTimeout(refilter));
  window.addEventListener("hashchange", follow);
  at("filters").hidden = false;
  at("browser").hidden = false;
  refilter();
  follow();
})();
