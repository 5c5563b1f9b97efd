"use strict";
// Text from data reaches the page through textContent and attributes only, never as markup.

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// Scrolls the list alone; scrollIntoView would move the page too.
function revealIn(list, entry) {
  const top = entry.offsetTop - list.offsetTop;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + entry.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top + entry.offsetHeight - list.clientHeight;
}

