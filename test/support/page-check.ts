// What is looked at in a page in a browser: texts that lie over each other, texts without contrast, things that stick
// out. Functions that run in the page, as texts, since tests have no types of browsers.

/** Texts of each chart and drawing that overlap each other, as lines to read. */
export const overlappingTexts = `(() => {
  const found = [];
  for (const svg of document.querySelectorAll('.plot svg, svg.fabric')) {
    const texts = [...svg.querySelectorAll('text')].filter((t) => t.textContent.trim() !== '' && t.checkVisibility());
    const boxes = texts.map((t) => t.getBoundingClientRect());
    for (let i = 0; i < texts.length; i++)
      for (let j = i + 1; j < texts.length; j++) {
        const [a, b] = [boxes[i], boxes[j]];
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        // rotated boxes and line heights touch by a pixel or two
        if (across > 2 && down > 4)
          found.push((svg.closest('figure')?.querySelector('h3')?.textContent ?? 'fabric') + ': ' + texts[i].textContent + ' | ' + texts[j].textContent);
      }
  }
  return found;
})()`;

/** Texts of charts that begin or end outside their picture. */
export const textsOutside = `(() => {
  const found = [];
  for (const svg of document.querySelectorAll('.plot svg, svg.fabric')) {
    const frame = svg.getBoundingClientRect();
    for (const text of svg.querySelectorAll('text')) {
      if (text.textContent.trim() === '' || !text.checkVisibility()) continue;
      const box = text.getBoundingClientRect();
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
        found.push((svg.closest('figure')?.querySelector('h3')?.textContent ?? 'fabric') + ': ' + text.textContent);
    }
  }
  return found;
})()`;

/** Tables that are wider than the room that they have. */
export const cutTables = `[...document.querySelectorAll('.scroll')]
  .filter((box) => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1)
  .map((box) => box.textContent.slice(0, 60))`;

/** Elements with text of their own that overlap another such element (but for those that contain each other). */
export const overlappingElements = `(() => {
  const found = [];
  const seen = [...document.querySelectorAll('h1,h2,h3,p,td,th,li,button,summary,.card .name,.card .big,.card .row,output')]
    .filter((e) => e.checkVisibility() && !e.closest('nav') && !e.closest('.scroll') && !e.classList.contains('skip'))
    .map((e) => [e, e.getBoundingClientRect()]);
  for (let i = 0; i < seen.length; i++)
    for (let j = i + 1; j < seen.length; j++) {
      const [[a, x], [b, y]] = [seen[i], seen[j]];
      if (a.contains(b) || b.contains(a)) continue;
      if (Math.min(x.right, y.right) - Math.max(x.left, y.left) > 2 && Math.min(x.bottom, y.bottom) - Math.max(x.top, y.top) > 2)
        found.push(a.textContent.slice(0, 40) + ' | ' + b.textContent.slice(0, 40));
    }
  return found;
})()`;

/** Texts whose contrast to what is behind them is below 4.5 (3 from 24 pixels on), after WCAG 2.2. */
export const faintTexts = `(() => {
  const channels = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let e = element; e !== null; e = e.parentElement) {
      const colour = channels(getComputedStyle(e).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.textContent.trim() === '' || element.closest('script,style,noscript,.paper,.skip') || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const colour = channels(element.namespaceURI.endsWith('svg') ? style.fill : style.color);
    const [dark, light] = [luminance(colour), luminance(behind(element))].sort((a, b) => a - b);
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < (Number.parseFloat(style.fontSize) >= 24 ? 3 : 4.5))
      found.add(contrast.toFixed(2) + ': ' + node.textContent.trim().slice(0, 40));
  }
  return [...found];
})()`;

/** Texts that are smaller on the screen than this many pixels. */
export const smallTexts = (least: number): string => `(() => {
  const found = new Set();
  for (const text of document.querySelectorAll('.plot svg text, svg.fabric text')) {
    if (!text.checkVisibility()) continue;
    const svg = text.closest('svg');
    const scale = svg.viewBox?.baseVal?.width > 0 ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
    const size = Number.parseFloat(getComputedStyle(text).fontSize) * scale;
    if (size < ${least}) found.add(size.toFixed(1) + ': ' + text.textContent);
  }
  return [...found];
})()`;
