"""The page's CSS: light, dark and print, from phone to desk."""

from graphpool.report.draw.svg import DARK, LIGHT, palette_css

_LIGHT = (
    "color-scheme:light;--paper:#faf9f6;--card:#fff;--ink:#23272c;--soft:#6a7079;--line:#e4e1da;"
    "--accent:#0b6aa8;--tint:#eaf2f8;--alert:#a63c06;--alert-tint:#fdf1e8;--good:#0a7a58;"
    "--edge:#9a9fa6;" + palette_css(LIGHT)
)
_DARK = (
    "color-scheme:dark;--paper:#14171b;--card:#1b1f24;--ink:#e7e5e0;--soft:#9aa1ab;--line:#2f353c;"
    "--accent:#6bb5ee;--tint:#1c2a36;--alert:#f2a173;--alert-tint:#33241a;--good:#4ecba3;"
    "--edge:#6d757f;" + palette_css(DARK)
)

_RULES = """
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);line-height:1.55;
 font:400 1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;
 font-variant-numeric:tabular-nums}
main{max-width:64rem;margin:0 auto;padding:3.5rem 1.75rem 2rem}
h1,h2,h3{line-height:1.2;font-weight:600;text-wrap:balance}
h1{font-size:clamp(1.7rem,4.5vw,2.5rem);letter-spacing:-.02em;margin:.3rem 0 .5rem}
h2{font-size:1.35rem;letter-spacing:-.01em;margin:0 0 .5rem}
h3{font-size:1rem;margin:0 0 .4rem}
section{margin-top:4rem}
p{margin:.4rem 0 .8rem;max-width:46rem}
.soft,.note{color:var(--soft)}
.note{font-size:.85rem;line-height:1.45}
.eyebrow{color:var(--accent);font-size:.8rem;font-weight:600;letter-spacing:.08em;
 text-transform:uppercase;margin:0}
.lead{font-size:1.1rem;color:var(--soft);max-width:none;text-wrap:balance}
.hero{display:grid;grid-template-columns:1.5fr;grid-auto-columns:1fr;grid-auto-flow:column;
 gap:1px;margin:2rem 0 1.4rem;
 background:var(--line);border:1px solid var(--line);border-radius:14px;overflow:hidden}
.hero div{background:var(--card);padding:1.3rem 1.5rem}
.hero p{margin:0;font-size:.9rem}
.hero .big{font-size:1.9rem;font-weight:600;line-height:1.15;letter-spacing:-.02em;
 margin:.25rem 0 .3rem}
.hero .ours{background:var(--tint)}
.hero .ours .big{font-size:clamp(3rem,8vw,4.3rem);line-height:1;color:var(--accent)}
.hero .big small{font-size:.5em;font-weight:500;margin-left:.12em}
.facts{display:flex;flex-wrap:wrap;gap:.9rem 2.4rem;margin:1.6rem 0 0;padding:0}
.facts div{min-width:4rem}
.facts dt{font-size:.8rem;color:var(--soft)}
.facts dd{margin:0;font-size:1.1rem;font-weight:600}
.warning{background:var(--alert-tint);border-left:4px solid var(--alert);border-radius:8px;
 padding:1rem 1.3rem;margin:1.6rem 0}
.warning h2{font-size:1rem;color:var(--alert);margin:0 0 .3rem}
.warning ul{margin:0;padding-left:1.1rem}
table{width:100%;border-collapse:collapse}
.results th,.results td{padding:0 .6rem;text-align:left;font-weight:400;vertical-align:middle}
.results thead th{font-size:.8rem;color:var(--soft);padding-bottom:.5rem}
.results tbody th{padding:.5rem .6rem;line-height:1.3}
.results tbody tr{border-top:1px solid var(--line)}
.results tfoot tr{border-top:1px solid var(--line)}
.results .num{text-align:right;white-space:nowrap}
.results .num b{font-weight:600}
.results .chart{width:44%}
.results th .note{display:block}
.results .main{background:var(--tint)}
.results .main th,.results .main b{font-weight:600}
.results .main .note{font-weight:400}
.badge{font-size:.7rem;font-weight:600;color:var(--accent);border:1px solid currentColor;
 border-radius:1rem;padding:.05rem .5rem;margin-left:.3rem;white-space:nowrap}
.results tbody .chart{position:relative;height:3.2rem}
.dots{position:absolute;inset:0;width:100%;height:100%;overflow:visible}
.results tfoot .chart{padding:.15rem 0 0}
.ruler{display:block;width:100%;height:2.3rem;overflow:visible}
.ruler text{font-size:12px;fill:var(--soft);text-anchor:middle}
.dots .axis{stroke:var(--line)}
.dots .majority{stroke:var(--alert);stroke-dasharray:3 3}
.ruler .majority{fill:var(--alert)}
.dots .split{fill:var(--soft);opacity:.28}
.dots .interval{stroke:var(--ink);stroke-width:3;stroke-linecap:round}
.dots .mean{fill:var(--ink);stroke:var(--card);stroke-width:1.5}
.main .dots .interval,.ours .dots .interval{stroke:var(--accent)}
.main .dots .mean,.ours .dots .mean{fill:var(--accent)}
.rule .dots .interval{display:none}
.rule .dots .mean{fill:var(--alert)}
details{margin-top:.8rem}
summary{cursor:pointer;color:var(--accent);font-size:.9rem}
.numbers{font-size:.85rem}
.numbers dd{margin:0 0 .5rem;color:var(--soft);overflow-wrap:anywhere}
figure{margin:0}
figcaption{font-weight:600;font-size:.95rem;margin-bottom:.3rem}
.charts{display:grid;grid-template-columns:1fr 1fr;gap:1.6rem;margin-top:1rem}
svg{max-width:100%}
.curve,.map{display:block;width:100%;height:auto;background:var(--card);
 border:1px solid var(--line);border-radius:12px}
.grid{stroke:var(--line)}
.tick{font-size:12px;fill:var(--soft);text-anchor:middle}
.tick.y{text-anchor:end;dominant-baseline:central}
.curve path{fill:none;stroke-width:2.2;stroke-linejoin:round;stroke-linecap:round}
.curve .train{stroke:var(--c1)}.curve .valid{stroke:var(--c0)}
.curve .faint{stroke-width:1;opacity:.18}
.curve .best{fill:var(--card);stroke:var(--c0);stroke-width:2}
.key{display:flex;flex-wrap:wrap;align-items:center;gap:.2rem .5rem;font-size:.9rem;
 color:var(--soft);max-width:none;margin-top:.7rem}
.key .item{display:inline-flex;align-items:center;gap:.35rem;margin-right:1rem;color:var(--ink)}
.swatch{flex:none;width:1.5rem;height:0;border-top:3px solid;border-radius:2px}
.swatch.train{border-color:var(--c1)}.swatch.valid{border-color:var(--c0)}
.swatch.best{width:.75rem;height:.75rem;border:2px solid var(--c0);border-radius:50%}
.marker{width:1rem;height:1rem;flex:none;overflow:visible}
.map defs path{transform:scale(var(--size))}
.pt{stroke:var(--card);stroke-width:.7;fill-opacity:.85}
.pt.wrong{stroke:var(--ink);stroke-width:1.9;fill-opacity:1}
.marker .wrong{fill:none;stroke:var(--ink);stroke-width:1.9}
.hierarchy{background:var(--card);border:1px solid var(--line);border-radius:12px;
 padding:1.1rem 1.3rem 1rem;margin-top:1.1rem;break-inside:avoid}
.levels{display:flex;justify-content:center;gap:.3rem}
.level{min-width:0;text-align:center}
.level svg{display:block;width:100%;height:auto;margin:0 auto}
.level p{margin:.3rem auto 0;font-size:.88rem;line-height:1.4}
.arrow{flex:none;align-self:center;color:var(--soft);font-size:1.4rem;padding-bottom:3.5rem}
.arrow::before{content:"\\2192"}
.edges{stroke:var(--edge);stroke-linecap:round}
.backing{fill:var(--card)}
.node{fill:var(--k);stroke:var(--k)}
.node.plain{fill:var(--line);stroke:var(--edge)}
.node.dropped{fill:none;stroke:var(--edge);stroke-dasharray:2.5 2.5}
.node.rim{fill:transparent;stroke:none}
.slice{fill:var(--k);fill-opacity:.7;stroke:var(--card);stroke-width:1.4}
.label{fill:var(--ink);text-anchor:middle;dominant-baseline:central;font-weight:500;
 pointer-events:none}
.right,.miss{font-size:.75rem;font-weight:600;border-radius:1rem;padding:.1rem .55rem;
 margin-left:.3rem;border:1px solid currentColor;color:var(--good)}
.miss{color:var(--alert)}
.curve .hist{stroke-width:1.6;fill-opacity:.28;stroke:var(--k);fill:var(--k)}
.yes{--k:var(--c0)}.no{--k:var(--c1)}
.cut{stroke:var(--ink);stroke-dasharray:4 4}
.cell{--k:var(--c0);fill:var(--k);shape-rendering:crispEdges}
.curve .median{stroke:var(--c5)}.swatch.median{border-color:var(--c5)}
.curve .equal{stroke:var(--soft);stroke-width:1.4;stroke-dasharray:5 5}
.swatch.equal{border-top:2px dashed var(--soft);border-radius:0}
.swatch.box{width:.9rem;height:.9rem;border:1.5px solid var(--k);border-radius:3px;
 background:color-mix(in srgb,var(--k) 40%,transparent)}
.compared .levels{gap:2.5rem;align-items:end}.compared .level{flex:1 1 0}
.compared figcaption .soft{font-weight:400;margin-left:.4rem}
.edges .delete,.node.delete{stroke:var(--alert)}.edges .insert,.node.insert{stroke:var(--good)}
.edges .substitute,.node.substitute{stroke:var(--ink)}
.edges .delete,.edges .insert,.edges .substitute{stroke-width:3.2}
.node.delete,.node.insert,.node.substitute{stroke-width:2.6}
.scores{display:flex;flex-wrap:wrap;gap:.2rem 2rem;margin-top:.6rem;padding-top:.3rem;
 border-top:1px solid var(--line)}
.scores .meter{flex:1 1 7rem;margin-top:.4rem}
.bar.half{position:relative}
.bar.half::after{content:"";position:absolute;left:50%;top:0;bottom:0;width:2px;
 background:var(--card)}
.results td .bar{width:100%;margin:0}
.rule .bar span{background:var(--soft)}
.near{display:grid;grid-template-columns:1.25fr repeat(5,1fr);gap:.6rem 1.1rem;align-items:end}
.near p{font-size:.86rem;line-height:1.4;margin:.3rem auto 0;text-align:center}
.near .level p{font-size:.8rem}
.near .query{background:var(--tint);border-radius:10px;padding:.7rem .6rem .8rem;align-self:stretch;
 display:grid;align-items:center}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(17rem,1fr));gap:1rem;
 margin-top:1rem;align-items:start}
.card{background:var(--card);border:1px solid var(--line);border-top:3px solid var(--soft);
 border-radius:12px;padding:1.1rem 1.3rem;break-inside:avoid}
.card.good{border-top-color:var(--good)}
.card.weak,.card.bad{border-top-color:var(--alert)}
.card .verdict{font-size:.95rem;margin-bottom:1rem}
.card.good .verdict{color:var(--good)}
.card.weak .verdict,.card.bad .verdict{color:var(--alert);font-weight:600}
.meter{margin-top:.8rem}
.meter p{margin:0;display:flex;justify-content:space-between;gap:1rem;font-size:.92rem}
.meter .note{display:block;font-size:.82rem;margin-top:.2rem}
.bar{height:6px;border-radius:3px;background:var(--line);overflow:hidden;margin:.25rem 0}
.bar span{display:block;height:100%;background:var(--accent);border-radius:3px;
 print-color-adjust:exact;-webkit-print-color-adjust:exact}
pre{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1rem 1.2rem;
 overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere;
 font:500 .9rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.environment{margin:1rem 0 0;display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.6rem;
 font-size:.9rem}
.environment dt{color:var(--soft)}
.environment dd{margin:0;overflow-wrap:anywhere}
footer{max-width:64rem;margin:3rem auto 0;padding:1.2rem 1.75rem 2.5rem;color:var(--soft);
 font-size:.85rem;border-top:1px solid var(--line)}
@media(max-width:46rem){
main{padding:2rem 1.1rem 1rem}footer{padding-inline:1.1rem}section{margin-top:3rem}
.hero{grid-template-columns:1fr 1fr;grid-auto-flow:row}
.hero .ours{grid-column:1/-1}.hero div{padding:1rem 1.1rem}
.hero .big{font-size:1.6rem}
.charts{grid-template-columns:1fr}
.results,.results tbody,.results tfoot{display:block}.results thead{display:none}
.results tr{display:grid;grid-template-columns:1fr max-content;padding:.5rem 0}
.results tbody tr.main{margin-inline:-.4rem;padding-inline:.4rem;border-radius:8px}
.results th,.results td{padding:0 .2rem}.results tbody th{padding:.1rem .2rem;grid-row:1/3}
.results .chart{grid-column:1/-1;grid-row:3;width:auto}
.results tfoot td:not(.chart){display:none}
.results tbody .chart{height:2.2rem}
.plain tr{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem}
.plain tbody th,.plain tbody .chart{flex:1 1 100%;height:auto}
.plain .num::before{content:attr(data-name) " ";color:var(--soft);font-size:.78rem}
.hierarchy{padding:1rem .7rem}
.levels{flex-direction:column;align-items:center}.level{width:100%;flex:none!important}
.level.one svg{width:7rem;height:7rem}
.near{grid-template-columns:1fr 1fr}.near .query{grid-column:1/-1}
.tick{font-size:15px}.map defs path{transform:scale(calc(var(--size)*1.7))}
.arrow{padding:0}.arrow::before{content:"\\2193"}
.environment{grid-template-columns:1fr;gap:0}.environment dd{margin-bottom:.5rem}
}
@media print{
body{font-size:10pt;background:#fff}main{max-width:none;padding:0}section{margin-top:1.6rem}
@page{margin:14mm}figure,.card,tr{break-inside:avoid}h2{break-after:avoid}
.hero,.main,.warning,svg{print-color-adjust:exact;-webkit-print-color-adjust:exact}
footer{padding-inline:0}
}
"""


def stylesheet() -> str:
    """All rules; paper is always light, whatever the screen was."""
    return (
        f":root{{{_LIGHT}}}"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{_DARK}}}}}{_RULES}"
    )
