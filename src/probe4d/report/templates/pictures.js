// Gives a function from the place of a question to its picture, or null, in elements of the page.
function pictureDrawer(data) {
  const SVG = "http://www.w3.org/2000/svg";
  const UNIT = 400;
  const BELOW = new Set(["ring", "axis"]);

  function shape(parent, tag, attributes, text) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  }

  const paths = (svg, shapes) => shapes.forEach(([kind, d]) => shape(svg, "path", { class: kind, d }));

  const words = (svg, labels) => labels.forEach(([kind, x, y, anchor, text]) =>
    shape(svg, "text", { class: kind, x, y, "text-anchor": anchor }, text));

  function faint(svg, boxes, scale) {
    const k = scale / 10; // boxes are in decimetres
    for (const [x, y, length, width, yaw, kind, seen] of boxes) {
      const box = shape(svg, "rect", {
        class: seen ? "faint" : "faint unseen",
        x: (-width * k) / 2, y: (-length * k) / 2, width: width * k, height: length * k,
        transform: `translate(${UNIT / 2 - y * k} ${UNIT / 2 - x * k}) rotate(${-yaw})`,
      });
      shape(box, "title", {}, (data.classes[kind] ?? "other object") + (seen ? "" : ", no LiDAR returns"));
    }
  }

  function panel(scene, one, index) {
    const svg = document.createElementNS(SVG, "svg");
    const kind = one.photograph === undefined ? "panel" : "panel camera";
    const width = one.width ?? UNIT;
    for (const [name, value] of Object.entries({ class: kind, role: "img", "aria-label": one.title, viewBox: `0 0 ${width} ${one.height}` })) {
      svg.setAttribute(name, value);
    }
    if (one.photograph !== undefined) return photographed(svg, one, width, index);
    const grid = one.extent === null ? null : data.grids[one.extent];
    if (grid) {
      paths(svg, grid.shapes.filter(([kind]) => BELOW.has(kind)));
      if (one.frame !== null) faint(svg, data.frames[`${scene}|${one.frame}`], grid.scale);
    }
    paths(svg, one.shapes);
    if (grid) {
      paths(svg, grid.shapes.filter(([kind]) => !BELOW.has(kind)));
      words(svg, grid.labels);
    }
    words(svg, one.labels);
    return element("figure", {}, element("figcaption", {}, one.title), svg);
  }

  // A camera image, or why it is not here, below the outlines.
  function photographed(svg, one, width, index) {
    const found = data.photographs[one.photograph];
    if (found?.jpeg) {
      const href = `data:image/jpeg;base64,${found.jpeg}`;
      shape(svg, "image", { href, width, height: one.height, preserveAspectRatio: "none" });
    }
    paths(svg, one.shapes);
    words(svg, one.labels);
    const elsewhere = `This page holds other camera images. probe4d show BENCH ${data.questions.id[index]} --data DATAROOT writes this one.`;
    const note = found?.jpeg ? null : element("p", { class: "legend" }, found?.problem ?? elsewhere);
    return element("figure", { class: "photographed" }, element("figcaption", {}, one.title), svg, note);
  }

  function picture(index) {
    const drawn = data.pictures?.[index];
    if (!drawn) return null;
    const camera = drawn.panels.some((one) => one.photograph !== undefined);
    const kind = camera ? "panels seen" : drawn.panels.length === 1 ? "panels one" : "panels";
    const panels = element("div", { class: kind, "data-picture": data.questions.id[index] });
    panels.append(...drawn.panels.map((one) => panel(drawn.scene, one, index)));
    const ways = data.questions.format[index] === "waypoints";
    const colours = ways ? "Thick: the reference; colours: answers; a dot is a waypoint"
      : camera
      ? "Blue: what is asked about; violet: the second of two; green: the right option; orange: other options; yellow: what decides"
      : "Blue: what is asked about; orange: other options";
    const told = `Seen from above${camera ? " in the second panel" : ""}, ego vehicle in the middle, heading up. ${colours}; ` +
      `grey: other boxes, dashed without LiDAR returns${camera || ways ? "" : "; dotted lines: ways over the interval"}.`;
    return element("figure", { "aria-label": drawn.words }, panels, element("p", { class: "legend" }, told));
  }

  return picture;
}
