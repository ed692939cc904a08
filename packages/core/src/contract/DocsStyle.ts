import { Markup } from "./Markup.ts"

/** The looks of the page: light and dark, one column on a telephone. */
export const style = new Markup(`
:root{color-scheme:light dark;--bg:#fff;--side:#f6f7f9;--text:#1d2433;--soft:#5b6579;--line:#e2e6ee;--code:#f1f3f7;--accent:#0b6e5f;--get:#0b6e5f;--post:#1f5fbf;--event:#8a4b00;--bad:#a8322a;--pre:#141a26;--pretext:#e6eaf2}
@media(prefers-color-scheme:dark){:root{--bg:#12161f;--side:#171c27;--text:#e4e8f0;--soft:#9aa5b8;--line:#2a3242;--code:#202737;--accent:#4fc7b2;--get:#4fc7b2;--post:#7fb0ff;--event:#f0b165;--bad:#ff8a80;--pre:#0b0e15;--pretext:#dfe5ef}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;display:grid;grid-template-columns:19rem minmax(0,1fr);background:var(--bg);color:var(--text);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
nav{position:sticky;top:0;height:100vh;overflow-y:auto;padding:1.5rem 1rem 3rem;background:var(--side);border-right:1px solid var(--line);font-size:.875rem;line-height:1.4}
nav .brand{display:block;padding:0 .5rem .75rem;font-size:1.25rem;font-weight:700;color:var(--text);text-decoration:none}
nav h2{margin:1.25rem .5rem .25rem;font-size:.72rem;letter-spacing:.06em;text-transform:uppercase;color:var(--soft)}
nav ul{margin:0;padding:0;list-style:none}
nav li a{display:flex;gap:.5rem;align-items:baseline;padding:.28rem .5rem;border-radius:6px;color:var(--text);text-decoration:none}
nav li a:hover,nav li a:focus-visible{background:var(--line)}
main{max-width:56rem;width:100%;margin:0 auto;padding:2.5rem 2.5rem 8rem}
h1{margin:0 0 .5rem;font-size:2.1rem;line-height:1.2}
main h2{margin:3.5rem 0 .75rem;font-size:1.5rem;line-height:1.25}
h3{margin:0 0 .4rem;font-size:1.2rem}
h3 a{color:inherit;text-decoration:none}
h3 a:hover{text-decoration:underline}
h4{margin:1.6rem 0 .5rem;font-size:.8rem;letter-spacing:.05em;text-transform:uppercase;color:var(--soft)}
p{margin:.6rem 0}
a{color:var(--accent)}
code{padding:.1em .32em;border-radius:4px;background:var(--code);font:.875em ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
pre{margin:.5rem 0;padding:.9rem 1.1rem;border-radius:8px;background:var(--pre);color:var(--pretext);font:.82rem/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre-wrap;overflow-wrap:anywhere}
.operation{margin:1.5rem 0 2.5rem;padding:1.5rem;border:1px solid var(--line);border-radius:12px}
.operation:target{border-color:var(--accent);box-shadow:0 0 0 1px var(--accent)}
.route{display:flex;flex-wrap:wrap;gap:.6rem;align-items:center}
.route code{font-size:.95rem;background:none;padding:0}
.method{flex:none;min-width:3.1rem;font:700 .66rem/1.5 ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;text-align:center;border:1px solid currentColor;border-radius:4px;padding:0 .25rem}
.method.get{color:var(--get)}.method.post{color:var(--post)}.method.event{color:var(--event)}
.permission{margin-left:auto;padding:.05rem .6rem;border-radius:99px;background:var(--code);color:var(--soft);font-size:.75rem}
table{width:100%;border-collapse:collapse;font-size:.92rem;margin:.4rem 0}
th{text-align:left;font-size:.8rem;color:var(--soft)}
td,th{padding:.5rem .75rem .5rem 0;border-top:1px solid var(--line);vertical-align:top}
.fields td.name{width:34%}
.fields .name code{background:none;padding:0;font-weight:600}
.depth-1{padding-left:1.25rem}.depth-2{padding-left:2.5rem}.depth-3{padding-left:3.75rem}
.required,.always{display:block;font-size:.7rem;color:var(--bad)}
.always{color:var(--soft)}
.type,.bounds{font-size:.8rem;color:var(--soft)}
.status{display:inline-block;min-width:2.6rem;font:700 .8rem ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;color:var(--bad)}
.status.good{color:var(--get)}
details{border-top:1px solid var(--line);padding:.4rem 0}
summary{cursor:pointer;font-size:.9rem}
details[open] summary{margin-bottom:.4rem}
.files{padding:.75rem 1rem;border-radius:8px;background:var(--side)}
@media(max-width:860px){body{display:block}nav{position:static;height:auto;max-height:45vh;border-right:0;border-bottom:1px solid var(--line)}main{padding:1.5rem 1.1rem 5rem}.operation{padding:1rem}.fields td.name{width:42%}}
@media print{nav{display:none}body{display:block}details{display:block}}
`)
