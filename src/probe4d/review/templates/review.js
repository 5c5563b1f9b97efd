// The review sheet: list, one question with its frames, decisions, keyboard; what is decided stays in this browser.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { items, pictures, reasons } = data;
  const base = data.decisions;
  const at = (id) => document.getElementById(id);
  const isReview = base.mode === "review";
  const STORE = `probe4d-review-${base.sheet}`;
  const BEST = 10;
  const letter = (place) => String.fromCharCode(65 + place);

  // ---- decisions -----------------------------------------------------------------------------------

  let decisions = { reviewer: "", templates: {}, items: {} };

  function tell(text) {
    at("told").textContent = text;
    at("told").hidden = !text;
  }

  function keep() {
    try {
      localStorage.setItem(STORE, JSON.stringify(decisions));
    } catch {
      tell("This browser keeps nothing for this page: save your decisions as a file before you close it.");
    }
  }

  // Takes what is known out of what was kept or loaded, and nothing else.
  function adopt(found) {
    const own = new Set(items.map((one) => one.id));
    const named = new Set(items.map((one) => one.template));
    const known = (table, names) => Object.fromEntries(Object.entries(table ?? {}).filter(([name]) => names.has(name)));
    decisions = {
      reviewer: String(found.reviewer ?? ""),
      templates: known(found.templates, named),
      items: known(found.items, own),
    };
    at("reviewer").value = decisions.reviewer;
  }

  function restore() {
    try {
      const kept = localStorage.getItem(STORE);
      if (kept) adopt(JSON.parse(kept));
    } catch {
      tell("What this browser kept of earlier work cannot be read; load your file instead.");
    }
  }

  const decision = (index) => decisions.items[items[index].id] ?? {};

  function decide(index, fields) {
    const item = items[index];
    const made = { ...decision(index), ...fields };
    if (isScored(item)) made.reference = item.reference;
    if (item.shown_answer) made.shown_answer = item.shown_answer;
    if (item.proposal) made.proposal = { ...item.proposal, decision: made.proposal?.decision ?? null };
    decisions.items[item.id] = made;
    changed();
  }

  function decideTemplate(name, fields) {
    decisions.templates[name] = { ...(decisions.templates[name] ?? {}), ...fields };
    changed();
  }

  function changed() {
    keep();
    mark(current);
    progress();
  }

  const isScored = (item) => isReview && item.format === "text";
  const wantsText = (index) => isScored(items[index]) && Number.isInteger(decision(index).score) && decision(index).score < BEST;

  // done, rejected, or open: what is still to be decided.
  function state(index) {
    const own = decision(index);
    const { proposal } = items[index];
    if (!isReview) return own.answer ? "done" : "open";
    if (own.verdict === "reject") return own.reason ? "rejected" : "open";
    if (wantsText(index) && !own.text?.trim()) return "open";
    if (proposal) return proposal.verdict === "consistent" || own.proposal?.decision ? "done" : "open";
    return own.verdict && (!isScored(items[index]) || Number.isInteger(own.score)) ? "done" : "open";
  }

  function progress() {
    const decided = items.filter((_, index) => state(index) !== "open").length;
    at("progress").textContent = `${decided.toLocaleString("en")} of ${items.length.toLocaleString("en")} ${isReview ? "decided" : "answered"}`;
  }

  // ---- list ----------------------------------------------------------------------------------------

  let current = -1;
  const SIGNS = { done: "✓", rejected: "✗", open: "" };
  const ALOUD = { done: isReview ? "kept" : "answered", rejected: "rejected", open: "open" };

  function fillList() {
    let template = null;
    items.forEach((item, index) => {
      if (item.template !== template) {
        template = item.template;
        at("list").append(element("li", { class: "group", role: "presentation" }, `${template}: ${item.kind}`));
      }
      const entry = element("li", { role: "option", id: `item-${index}`, "aria-selected": "false" },
        element("span", { class: "stem" }, item.question),
        element("span", { class: "meta" }, item.scene, element("span", { class: "marks" })));
      entry.addEventListener("click", () => select(index));
      at("list").append(entry);
      mark(index);
    });
  }

  function mark(index) {
    const sign = at(`item-${index}`)?.querySelector(".marks");
    if (!sign) return;
    sign.className = `marks ${state(index)}`;
    sign.textContent = SIGNS[state(index)];
    sign.setAttribute("aria-label", ALOUD[state(index)]);
  }

  function select(index) {
    at(`item-${current}`)?.setAttribute("aria-selected", "false");
    current = index;
    const entry = at(`item-${index}`);
    entry.setAttribute("aria-selected", "true");
    at("list").setAttribute("aria-activedescendant", entry.id);
    revealIn(at("list"), entry);
    show(index);
  }

  // ---- one question --------------------------------------------------------------------------------

  let turn = () => {};

  function show(index) {
    const item = items[index];
    const film = filmOf(item, pictures);
    turn = film.turn;
    const parts = [
      element("h3", {}, item.question),
      element("p", { class: "meta" }, [item.template, item.kind, item.scene, item.id].join(" · ")),
      film.shown,
      ...(isReview ? reviewed(index) : [answering(index)]),
    ];
    at("detail").replaceChildren(...parts.filter(Boolean));
  }

  const said = (item, place) => (item.lettered ? `${letter(place)}. ${item.options[place]}` : item.options[place]);

  function reviewed(index) {
    const item = items[index];
    const list = element("ul", { class: "options" }, ...item.options.map((_, place) => element("li", {}, said(item, place))));
    const rows = item.measured.map(([name, value]) =>
      element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value)));
    return [
      item.options.length ? list : null,
      element("h4", {}, "Reference"),
      element("p", { class: "text" }, item.reference),
      element("details", {}, element("summary", {}, "How it was measured"),
        element("table", { class: "measured" }, element("tbody", {}, ...rows))),
      ...(item.proposal ? [proposed(index)] : []),
      verdict(index),
      ...(isScored(item) ? [scored(index)] : []),
      template(item),
    ];
  }

  function reason(own, choose) {
    const input = element("select", {}, element("option", { value: "" }, "choose a reason"),
      ...reasons.items.map(([value, text]) => element("option", { value }, text)));
    input.value = own.reason ?? "";
    input.addEventListener("change", () => choose(input.value || null));
    return element("label", { class: "field" }, "Why", input);
  }

  function verdict(index) {
    const own = decision(index);
    const why = reason(own, (value) => decide(index, { reason: value }));
    why.hidden = own.verdict !== "reject";
    why.classList.add("why");
    const entries = [["keep", "Keep: it is well posed, and the frames support its answer"], ["reject", "Reject"]];
    return element("fieldset", { id: "verdict" }, element("legend", {}, "This question"),
      ...radiosOf("verdict", entries, own.verdict, (value) => {
        decide(index, value === "keep" ? { verdict: value, reason: null } : { verdict: value });
        why.hidden = value !== "reject";
      }),
      why,
      textField("Note", own.note, (value) => decide(index, { note: value })));
  }

  function scored(index) {
    const item = items[index];
    const own = decision(index);
    const score = element("input", { type: "number", min: "0", max: String(BEST), step: "1", inputmode: "numeric", id: "score" });
    score.value = own.score ?? "";
    const rewrite = textField("The reference, corrected", own.text, (value) => {
      decide(index, { text: value });
      hint();
    });
    const told = element("p", { class: "needed", role: "status" });
    function hint() {
      const now = decision(index);
      const from = now.score >= 7 ? "the answer above, corrected" : "the old one, revised";
      const what = item.shown_answer ? from : "the old one, corrected";
      told.textContent = wantsText(index) && !now.text?.trim() ? `Below ${BEST} write the new reference: ${what}.` : "";
    }
    score.addEventListener("input", () => {
      const value = score.value === "" ? null : Number(score.value);
      const isScore = Number.isInteger(value) && value >= 0 && value <= BEST;
      score.setCustomValidity(value === null || isScore ? "" : `a whole number from 0 to ${BEST}`);
      score.reportValidity();
      decide(index, { score: isScore ? value : null });
      hint();
    });
    hint();
    const shown = item.shown_answer ? [element("h4", {}, "Answer of a model"), element("p", { class: "text" }, item.shown_answer)] : [];
    const of = item.shown_answer ? "the model's answer" : "the reference";
    return element("fieldset", {}, element("legend", {}, "The open answer"), ...shown,
      element("label", { class: "field" }, `How good is ${of}, by the frames? 0 to ${BEST}`, score), rewrite, told);
  }

  function proposed(index) {
    const { proposal } = items[index];
    const own = decision(index).proposal ?? {};
    const verdict = proposal.verdict === "consistent" ? "The audit finds the reference consistent with the frames."
      : `The audit finds the reference inconsistent: ${reasons.references[proposal.reason] ?? "no reason given"}. It proposes:`;
    const entries = [["take", proposal.text ? "Take the proposal" : "Agree"], ["refuse", "Refuse it"]];
    return element("fieldset", { id: "proposal" }, element("legend", {}, "An audit by a model"), element("p", { class: "text" }, verdict),
      proposal.text ? element("p", { class: "text" }, proposal.text) : null,
      ...radiosOf("proposal", entries, own.decision, (value) => decide(index, { proposal: { ...proposal, decision: value } })));
  }

  function template(item) {
    const name = item.template;
    const own = decisions.templates[name] ?? {};
    const why = reason(own, (value) => decideTemplate(name, { reason: value }));
    why.hidden = own.verdict !== "remove";
    const entries = [["", "as its questions say"], ["keep", "stays"], ["remove", "is removed"]];
    return element("fieldset", { id: "template" }, element("legend", {}, `The whole template ${name}`),
      ...radiosOf("template", entries, own.verdict ?? "", (value) => {
        decideTemplate(name, value === "remove" ? { verdict: value } : { verdict: value || null, reason: null });
        why.hidden = value !== "remove";
      }),
      why);
  }

  function answering(index) {
    const item = items[index];
    const entries = item.options.map((option, place) => [item.lettered ? letter(place) : option, said(item, place)]);
    return element("fieldset", { id: "answer" }, element("legend", {}, "Your answer"),
      ...radiosOf("answer", [...entries, [data.cannot_tell, data.cannot_tell]], decision(index).answer, (value) => decide(index, { answer: value })));
  }

  // ---- files ---------------------------------------------------------------------------------------

  function save() {
    const audited = items.filter((one) => one.proposal && !decisions.items[one.id]);
    const untouched = Object.fromEntries(audited.map((one) => [one.id, { reference: one.reference, proposal: one.proposal }]));
    const content = JSON.stringify({ ...base, ...decisions, items: { ...untouched, ...decisions.items } }, null, 1);
    const link = element("a", { download: `decisions-${base.sheet}.json`, href: URL.createObjectURL(new Blob([content], { type: "application/json" })) });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  async function load(event) {
    const [file] = event.target.files;
    if (!file) return;
    try {
      const found = JSON.parse(await file.text());
      if (found.sheet !== base.sheet) {
        tell("That file holds decisions on another sheet.");
        return;
      }
      adopt(found);
      tell("");
      keep();
      items.forEach((_, index) => mark(index));
      progress();
      show(current);
    } catch {
      tell("That file holds no decisions.");
    } finally {
      event.target.value = "";
    }
  }

  // ---- keyboard and start --------------------------------------------------------------------------

  const step = (by) => select(Math.min(items.length - 1, Math.max(0, current + by)));

  function nextOpen() {
    for (let by = 1; by <= items.length; by += 1) {
      const index = (current + by) % items.length;
      if (state(index) === "open") {
        select(index);
        return;
      }
    }
  }

  function click(name, value) {
    const input = [...at("detail").querySelectorAll(`input[name="${name}"]`)].find((one) => one.value === value);
    if (!input) return false;
    input.click();
    if (name === "verdict" && value === "reject") at("detail").querySelector(".why select").focus();
    return true;
  }

  const MOVES = {
    j: () => step(1), k: () => step(-1), u: nextOpen, "[": () => turn(-1), "]": () => turn(1),
    ...(isReview ? { y: () => click("verdict", "keep"), n: () => click("verdict", "reject") } : {}),
  };
  const ON_LIST = {
    ArrowDown: () => step(1), ArrowUp: () => step(-1), Home: () => step(-items.length), End: () => step(items.length),
    Enter: () => at("detail").focus(),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("select, textarea, input:not([type='radio'])");
    const move = MOVES[event.key] ?? (event.target === at("list") ? ON_LIST[event.key] : undefined);
    if (event.key === "Escape") at("list").focus();
    else if (typing) return;
    else if (move) {
      event.preventDefault();
      move();
    } else if (!isReview && /^[a-z]$/.test(event.key) && click("answer", event.key.toUpperCase())) event.preventDefault();
  });

  at("reviewer").addEventListener("input", () => {
    decisions.reviewer = at("reviewer").value;
    keep();
  });
  at("save").addEventListener("click", save);
  at("load").addEventListener("change", load);
  restore();
  fillList();
  at("browser").hidden = false;
  progress();
  if (items.length) select(0);
})();
