// The style of a report's page: light, dark and print, from 390 pixels up.
// Invariant: colours are those of the looks (look.ts), so that charts and page belong together.

import { spanRules } from '../span-colours.js';
import { darkLook, lightLook, shadesOf, type Look } from './look.js';

function variables(look: Look): string {
  return [
    `--background:${look.isDark ? '#0e141b' : '#f5f7fa'}`,
    `--card:${look.background}`,
    `--text:${look.text}`,
    `--faint:${look.faint}`,
    `--line:${look.grid}`,
    `--strong:${look.line}`,
    `--accent:${look.isDark ? '#7db9f8' : '#1a5fb4'}`,
    `--good:${look.isDark ? '#4cd3a0' : '#08734f'}`,
    `--bad:${look.isDark ? '#ff8f86' : '#b3261e'}`,
    `--hover:${look.isDark ? '#1d2733' : '#eef4fb'}`,
    `--path:${look.isDark ? '#ffd34d' : '#d6008f'}`,
    ...look.hues.map((hue, i) => `--hue${i}:${hue}`),
    ...look.contention.map((colour, i) => `--lost${i}:${colour}`),
    ...shadesOf(look).map((colour, i) => `--shade${i}:${colour}`),
    ...look.load.map((colour, i) => `--load${i}:${colour}`),
    `--load0:${look.isDark ? '#33404e' : '#d5dde6'}`,
    `color-scheme:${look.isDark ? 'dark' : 'light'}`,
  ].join(';');
}

/** The text of the style element. */
export function pageStyle(): string {
  return `:root{${variables(lightLook)}}
@media (prefers-color-scheme:dark){:root:not([data-look=light]){${variables(darkLook)}}}
:root[data-look=dark]{${variables(darkLook)}}
${rules}
@media screen{${spanRules(darkLook, ':root[data-look=dark] .paper')}}
@media screen and (prefers-color-scheme:dark){${spanRules(darkLook, ':root:not([data-look=light]) .paper')}}
@media print{:root,:root[data-look=dark],:root:not([data-look=light]){${variables(lightLook)}}
${printRules}}`;
}

const rules = `*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:56px;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--background);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"DejaVu Sans",sans-serif;font-variant-numeric:tabular-nums}
a{color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
.skip{position:absolute;left:-999px}.skip:focus{left:8px;top:8px;background:var(--card);padding:8px 12px;z-index:9}
header.top,main,footer{max-width:1240px;margin:0 auto;padding:0 24px}
header.top{padding-top:30px;padding-bottom:6px;display:flex;gap:16px 24px;flex-wrap:wrap;align-items:flex-start;justify-content:space-between}
h1{font-size:26px;line-height:1.25;margin:0 0 6px;letter-spacing:-.01em;overflow-wrap:anywhere}
.by{color:var(--faint);margin:0;overflow-wrap:anywhere}
.tools button,.save button{font:inherit;font-size:13px;color:var(--text);background:var(--card);border:1px solid var(--strong);border-radius:7px;padding:5px 11px;cursor:pointer}
.tools{display:flex;gap:8px}
.tools button:hover,.save button:hover{background:var(--hover)}
nav{position:sticky;top:0;z-index:5;background:var(--background);border-bottom:1px solid var(--line);margin-top:14px}
nav ul{max-width:1240px;margin:0 auto;padding:0 16px;display:flex;gap:4px;list-style:none;overflow-x:auto;scrollbar-width:none}
nav a{display:block;padding:11px 9px;color:var(--faint);text-decoration:none;white-space:nowrap;font-size:14px}
nav a:hover{color:var(--text)}
section{margin:34px 0}
h2{font-size:19px;margin:0 0 14px;letter-spacing:-.01em}
h3{font-size:15px;margin:0;line-height:1.35;overflow-wrap:anywhere}
.runs{display:flex;flex-wrap:wrap;gap:6px 20px;list-style:none;margin:0 0 4px;padding:0;width:100%}
.runs li{display:flex;gap:8px;align-items:center;overflow-wrap:anywhere}
.dot{flex:none;width:11px;height:11px;border-radius:50%;display:inline-block}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(178px,1fr));gap:14px}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:14px 16px;min-width:0}
.card .name{color:var(--faint);font-size:13px}
.card .big{font-size:24px;font-weight:650;letter-spacing:-.02em;line-height:1.3;margin-top:2px}
.card .row{display:flex;gap:8px;align-items:baseline;flex-wrap:wrap;margin-top:4px}
.card .row .value{font-weight:650;font-size:17px}
.change{font-size:13px;color:var(--faint);white-space:nowrap}
.good{color:var(--good)}.bad{color:var(--bad)}
.note{color:var(--faint);font-size:13.5px;margin:3px 0 0;max-width:74ch}
figure,.panel{background:var(--card);border:1px solid var(--line);border-radius:12px;margin:0;padding:16px 16px 12px;min-width:0}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,540px),1fr));gap:16px;align-items:start}
.grid>.wide{grid-column:1/-1}.panel+.grid{margin-top:16px}
.panel{margin-top:16px}
figcaption{padding:0 4px}
.plot{margin-top:12px;width:100%;overflow-x:auto;overflow-y:hidden;min-height:60px}
.save{display:flex;gap:6px;justify-content:flex-end;margin-top:6px}
.save button{padding:2px 9px;font-size:12px;border-color:var(--line);color:var(--faint)}
.scroll{overflow-x:auto;-webkit-overflow-scrolling:touch}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{text-align:left;padding:7px 12px 7px 4px;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600;color:var(--faint);font-size:13px}
td.number,th.number{text-align:right;white-space:nowrap}
th .note{display:inline;margin-left:10px;font-weight:400}
section#findings>p{font-size:17px;max-width:92ch;margin:0 0 12px}
td .change{display:inline-block;min-width:62px}
tbody th{color:var(--text);font-weight:500;font-size:14px}
tr:last-child>*{border-bottom:0}
th code{white-space:nowrap}
tr[tabindex]{cursor:pointer}tr[tabindex]:hover,tr[tabindex]:focus,tr.chosen{background:var(--hover)}
.checks{list-style:none;margin:10px 0 0;padding:0;display:grid;gap:2px}
.checks li{padding:7px 4px;display:grid;grid-template-columns:74px minmax(0,1fr);gap:2px 12px;border-bottom:1px solid var(--line)}
.checks li:last-child{border-bottom:0}
.mark{font-weight:600;font-size:13px;padding-top:1px}
.checks .detail{color:var(--faint);font-size:13.5px;overflow-wrap:anywhere}
pre{margin:10px 0 0;font:12.5px/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
details summary{cursor:pointer;font-weight:600;padding:2px 0}.note+details{margin-top:10px}
code,.hash{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:12.5px;overflow-wrap:anywhere}
.fabricbox{overflow-x:auto;margin-top:12px}
svg.fabric{display:block;width:100%;min-width:1000px;height:auto;font-family:inherit}
.fabric .half{fill:none;stroke-width:2.2}
.fabric .touch{fill:none;stroke:transparent;stroke-width:9}
.fabric .box{fill:var(--card);stroke:var(--strong)}
.fabric .name{fill:var(--text);font-size:11px}.fabric .row{fill:var(--faint)}
.fabric .way{fill:var(--text);font-size:14px}
.fabric .level{display:none;fill:var(--text);paint-order:stroke;stroke:var(--card);stroke-width:6}
.fabric .dim{opacity:.13}
.fabric .on .half{stroke:var(--path);stroke-width:4}
.fabric .boxon .box{stroke:var(--path);stroke-width:2.5}
${[0, 1, 2, 3, 4, 5, 6].map((i) => `.fabric .w${i}{stroke:var(--lost${i})}.key .w${i}{background:var(--lost${i})}.panel:has([value=load]:checked) .fabric .c${i}{stroke:var(--load${i})}.key .c${i}{background:var(--load${i})}`).join('')}
.fabric .w0{stroke-width:1.2}.fabric .w5,.fabric .w6{stroke-width:3.6}
.panel:has([value=load]:checked) .key.contention,.panel:not(:has([value=load]:checked)) .key.load{display:none}
${[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((i) => `.congested .l${i}{stroke:var(--shade${i})}.congested .b${i}{fill:var(--shade${i})}.key .s${i}{background:var(--shade${i})}`).join('')}
.congested .m,.congested .guide,.congested .none{fill:none}.congested .none{stroke:var(--line)}.congested .guide{stroke:var(--line);stroke-width:.6}.congested .on{stroke:var(--path)}.congested rect.on{fill:var(--path)}
.controls{display:flex;flex-wrap:wrap;gap:8px 18px;align-items:center;margin-top:10px;font-size:14px}.controls label{display:flex;gap:8px;align-items:center;min-width:0}.controls input[type=range]{flex:1 1 220px;min-width:0;width:280px}.controls select{font:inherit;max-width:100%;color:inherit;background:var(--card);border:1px solid var(--strong);border-radius:7px;padding:3px 6px}
.key{display:flex;flex-wrap:wrap;gap:4px 14px;list-style:none;margin:10px 0 0;padding:0 4px;color:var(--faint);font-size:13px}
.key li{display:flex;align-items:center;gap:6px}.key i{width:18px;height:8px;border-radius:2px}
.said{display:block;min-height:3em;margin-top:8px;padding:8px 12px;border-radius:8px;background:var(--hover);font-size:14px;overflow-wrap:anywhere}
.paper{border-radius:8px;overflow-x:auto;margin-top:12px;padding:4px}
.paper svg>rect:first-of-type{fill:var(--card)}.paper text[fill="#222222"]{fill:var(--text)}.paper text[fill="#777777"],.paper text[fill="#555555"]{fill:var(--faint)}.paper line{stroke:var(--line)}.paper text[fill="#ffffff"]{fill:var(--card)}.paper .dim{opacity:.12}
.controls button{font:inherit;font-size:13px;min-width:32px;color:var(--text);background:var(--card);border:1px solid var(--strong);border-radius:7px;padding:3px 9px;cursor:pointer}.controls input[type=search]{font:inherit;font-size:13px;color:inherit;background:var(--card);border:1px solid var(--strong);border-radius:7px;padding:3px 8px;min-width:0;width:240px;flex:0 1 240px}
.paper svg{display:block;min-width:900px;width:100%;height:auto}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,460px),1fr));gap:8px 28px;margin-top:14px}
footer{color:var(--faint);font-size:13px;padding-top:10px;padding-bottom:48px}
@media (max-width:600px){svg.fabric{min-width:0}.fabric .name{display:none}.fabric .level{display:inline}th .note{display:block;margin-left:0}td .change{display:block}header.top,main,footer{padding-left:14px;padding-right:14px}nav ul{padding:0 6px}h1{font-size:21px}section{margin:26px 0}figure,.panel{padding:13px 10px 10px}.cards{grid-template-columns:repeat(2,minmax(0,1fr));gap:10px}.card{padding:11px 12px}.card .big{font-size:19px}.checks li{grid-template-columns:minmax(0,1fr)}}
@media screen and (max-width:600px){.stacked thead{display:none}.stacked tr{display:block;padding:8px 0;border-bottom:1px solid var(--line)}.stacked td,.stacked th{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 12px;border:0;padding:2px 0}.stacked [data-label]::before{content:attr(data-label);color:var(--faint)}}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
.noscript{background:var(--card);border:1px solid var(--bad);border-radius:8px;padding:12px 16px}`;

const printRules = `@page{margin:14mm}
body{background:#fff;font-size:10.5pt}
nav,.tools,.save,.said,.skip,.controls{display:none!important}
header.top,main,footer{max-width:none;padding:0}
section{margin:18px 0}h2{break-after:avoid}
figure,.panel,.card{border-color:#ccd3da;break-inside:avoid;border-radius:6px}
details:not([open])>*:not(summary){display:block}
.panel.long,.panel:has(table){break-inside:auto}tr,svg,.note{break-inside:avoid}h3,.note,.key,thead{break-after:avoid}th code,td code:not(.hash){overflow-wrap:break-word}
.grid{grid-template-columns:1fr}.cards{grid-template-columns:repeat(3,1fr);gap:8px}
table{font-size:8.5pt}td.number,th.number,th code{white-space:normal}th,td{padding:4px 6px 4px 2px;overflow-wrap:anywhere}td.number,th.number,th,tbody th{overflow-wrap:normal}
details pre{columns:3;column-gap:10px;font-size:7pt}
svg.fabric,.paper svg{min-width:0}.scroll,.plot,.fabricbox,.paper{overflow:visible}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}`;
