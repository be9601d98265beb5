/* What never changes in a report: its styles, and a script that opens derivations for print. The
 * colours of figures in the dark are the palette's. */
#include "figure/part.h"
#include "html/part.h"

static const char *const rules[] = {
    ":root{color-scheme:light "
    "dark;--paper:#fcfbf9;--card:#fff;--ink:#1d1f23;--quiet:#5a6068;--rule:#dcd9d3;--code:#f3f1ec;-"
    "-link:#0b5a94;",
    "--proved:#00664a;--proved-tint:#e2f2ec;--refuted:#a5310a;--refuted-tint:#fae7df;--supported:#"
    "735000;--supported-tint:#f6edd6;--undecided:#4f5660;--undecided-tint:#eaecef;",
    "--serif:Charter,'Bitstream Charter','Iowan Old Style','Palatino Linotype',Georgia,'DejaVu "
    "Serif',serif;--sans:system-ui,'Segoe UI',Helvetica,Arial,'DejaVu "
    "Sans',sans-serif;--mono:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace}",
    "@media screen and "
    "(prefers-color-scheme:dark){:root{--paper:#0f1115;--card:#14171c;--ink:#e6e8eb;--quiet:#"
    "a3a9b1;--rule:#2f343c;--code:#1b1f26;--link:#7cc0f0;",
    "--proved:#4ccfa5;--proved-tint:#12302a;--refuted:#ff9d70;--refuted-tint:#3a2018;--supported:#"
    "e9c46a;--supported-tint:#33290f;--undecided:#b7bec8;--undecided-tint:#272c34}}",
    "*{box-sizing:border-box}",
    "html{scroll-padding-top:1rem;-webkit-text-size-adjust:100%;text-size-adjust:100%}",
    "body{margin:0;padding:0 1.25rem "
    "4rem;background:var(--paper);color:var(--ink);font:1.0625rem/1.6 "
    "var(--serif);overflow-wrap:break-word}",
    ".summary,main,footer,.contents{max-width:46rem;margin-inline:auto}",
    "a{color:var(--link);text-underline-offset:.15em}",
    "a:focus-visible,summary:focus-visible{outline:3px solid "
    "var(--link);outline-offset:2px;border-radius:3px}",
    ":target{scroll-margin-top:1rem}",
    ".skip{position:absolute;left:-100vw}",
    ".skip:focus{left:1rem;top:1rem;background:var(--card);padding:.4rem .8rem;z-index:1}",
    "h1,h2,h3,h4,h5,h6{line-height:1.25;text-wrap:balance;break-after:avoid}",
    "h1{font-size:2.1rem;margin:3rem 0 .25rem;letter-spacing:-.01em}",
    ".lede{font-size:1.15rem;color:var(--quiet);margin:0 0 1.25rem}",
    ".proved{--tone:var(--proved);--tint:var(--proved-tint)}",
    ".refuted{--tone:var(--refuted);--tint:var(--refuted-tint)}",
    ":is(.claim,.claim-line).refuted:not(.amiss){--tone:var(--undecided);--tint:var(--undecided-"
    "tint)}.claim :is(.source,.found,.typeset) math{math-style:normal}",
    ".typeset{margin:.5rem 0;padding:.1rem 0;overflow-x:auto;overflow-y:hidden}.typeset .formula "
    "math[display=block]{margin:0;"
    "text-align:left;display:block math}",
    ".brief ul{list-style:none;margin:.2rem 0 .6rem;padding:0;font-size:.9rem;line-height:1.45}"
    ".brief li{margin:.15rem 0}.brief h3{font-size:.95rem;margin:.6rem 0 .1rem}.brief "
    "section{break-inside:avoid}.brief figure svg{max-width:17rem}.brief "
    "figure{float:right;margin:0 "
    "0 .3rem 1rem}.brief section::after{content:'';display:block;clear:both}",
    "@media "
    "print{:root:has(.brief){font-size:11px}.document:has(.brief){break-before:auto!important}."
    "brief{columns:2;column-gap:1.2rem}."
    "brief figure svg{max-width:6.5rem}.brief "
    "ul{font-size:7pt;line-height:1.25;margin-bottom:.3rem}.brief li{margin:.08rem 0}.brief "
    "h3{font-size:8pt;margin-top:.3rem}}",
    ".brief .what{font-size:.85em}.map .refuted:not(.amiss),.bar .expected,.counts "
    ".expected{--tone:var(--undecided);--tint:var(--undecided-tint)}",
    ".formula math[display=block]{margin:.75rem 0;overflow-x:auto}math .bold{font-weight:bold}",
    ".supported{--tone:var(--supported);--tint:var(--supported-tint)}",
    ".undecided{--tone:var(--undecided);--tint:var(--undecided-tint)}",
    ".complaint{--tone:var(--refuted);--tint:var(--refuted-tint)}",
    ".bar{display:flex;gap:2px;height:.6rem;border-radius:.3rem;overflow:hidden;margin:0 0 .75rem}",
    ".bar span{background:var(--tone);min-width:3px}",
    ".counts{display:flex;flex-wrap:wrap;gap:.25rem 1.75rem;list-style:none;margin:0 0 "
    "1.5rem;padding:0;font-family:var(--sans);font-size:.95rem}",
    ".counts strong{font-size:1.35rem;font-variant-numeric:tabular-nums}",
    ".verdict{color:var(--tone);font-family:var(--sans);font-weight:600;white-space:nowrap}",
    ".wide{overflow-x:auto;margin:1rem 0}",
    "table{border-collapse:collapse;font-family:var(--sans);font-size:.875rem;line-height:1.4}",
    "th,td{padding:.4rem .55rem;border-bottom:1px solid "
    "var(--rule);text-align:left;vertical-align:baseline}",
    "thead th{font-weight:600;color:var(--quiet)}",
    ".documents{width:100%;font-size:.84rem}",
    ".documents thead th{font-weight:500;line-height:1.25}",
    ".documents td,.documents "
    "th:not(:first-child){text-align:right;font-variant-numeric:tabular-nums}",
    ".documents th[scope=row]{font-weight:500}.documents th:first-child{padding-left:0}.documents "
    "td:last-child,.documents th:last-child{padding-right:0}",
    ".documents .failure{text-align:left;color:var(--refuted)}",
    ".none{color:var(--quiet)}",
    ".left{text-align:left}.center{text-align:center}.right{text-align:right}",
    ".open,.clear{font-family:var(--sans);font-size:.925rem;margin:1.5rem 0}",
    ".open h2{font-size:1.05rem;margin:0 0 .5rem}",
    ".open ol{margin:0;padding-left:1.75rem}",
    ".open li{margin:.25rem 0}",
    ".line{color:var(--quiet);font-size:.875em}",
    ".contents{font-family:var(--sans);font-size:.9rem;line-height:1.4;margin-top:2rem;padding:"
    "1rem 0;border-block:1px solid var(--rule)}",
    ".contents ul{list-style:none;margin:0;padding:0;columns:2 16rem;column-gap:2.5rem}",
    ".contents li{margin:.3rem 0;break-inside:avoid}",
    ".contents a{text-decoration:none}",
    ".contents a:hover{text-decoration:underline}",
    ".contents .name{font-weight:600;margin-top:.9rem;break-after:avoid}",
    ".contents .name:first-child{margin-top:0}",
    ".contents .level2{padding-left:1rem}",
    ".document{margin-top:3.5rem;padding-top:1.5rem;border-top:3px solid var(--ink)}",
    ".document>h2{font:500 .9rem/1.4 var(--mono);color:var(--quiet);margin:0 0 1rem}",
    ".level1{font-size:1.85rem;margin:1.25rem 0 .75rem}",
    ".level2{font-size:1.35rem;margin:2.5rem 0 .6rem}",
    ".level3{font-size:1.1rem;margin:2rem 0 .5rem}",
    ".level4,.level5,.level6{font-size:1rem;margin:1.5rem 0 .5rem}",
    ".contents .level1,.contents .level2{font-size:inherit;margin:.3rem 0}",
    "p{margin:0 0 1rem}",
    "blockquote{margin:1rem 0;padding-left:1rem;border-left:3px solid "
    "var(--rule);color:var(--quiet)}",
    "code,pre{font-family:var(--mono);font-size:.86em}",
    "p code,li code,td code{background:var(--code);padding:.1em .3em;border-radius:3px}",
    "pre{margin:1rem 0;padding:.8rem "
    "1rem;background:var(--code);border-radius:6px;overflow-x:auto;font-size:.84rem;line-height:1."
    "55;tab-size:4}",
    "pre code{font-size:inherit}",
    "pre b{font-weight:600;color:var(--link)}",
    "pre i{color:var(--quiet)}",
    "hr{border:0;border-top:1px solid var(--rule);margin:2rem 0}",
    ".image,.raw{color:var(--quiet)}",
    ".image{border:1px dashed var(--rule);padding:0 .4em;border-radius:3px}",
    ".link{text-decoration:underline dotted}",
    ".map{margin:0 0 1.5rem}",
    ".map ul{display:flex;flex-wrap:wrap;gap:3px;list-style:none;margin:0;padding:0}",
    ".map "
    "a{display:block;width:1.5rem;height:1.5rem;border-radius:3px;background:var(--tint);color:var("
    "--tone);font:600 .8rem/1.5rem var(--sans);text-align:center;text-decoration:none}",
    ".map .amiss a{outline:2px solid var(--tone);outline-offset:-2px}",
    ".map a:hover{background:var(--tone);color:var(--card)}",
    ".block{margin:1.25rem 0}",
    ".setup{margin:.75rem 0}",
    ".claim,.complaint:not(li){background:var(--card);border:1px solid var(--rule);border-left:4px "
    "solid var(--tone);border-radius:6px;padding:.8rem 1rem;margin:.75rem 0}",
    ".claim>header{display:flex;flex-wrap:wrap;gap:.2rem "
    ".75rem;align-items:baseline;font-family:var(--sans);font-size:.9rem}",
    ".claim>header .verdict{background:var(--tint);padding:.1em .55em;border-radius:4px}",
    ".label{font-weight:600;color:inherit;text-decoration:none;min-width:0}",
    ".label,.open a,.contents a,.documents th[scope=row],.document>h2{overflow-wrap:anywhere;"
    "unicode-bidi:isolate}",
    ".source code,.found code,.reason,.step,details pre,.complaint p,.complaint "
    "code,.line{unicode-bidi:isolate}",
    ".label:hover{text-decoration:underline}",
    ".standing{color:var(--quiet)}",
    ".amiss .standing{color:var(--tone);font-weight:600;border:1.5px solid "
    "var(--tone);border-radius:4px;padding:0 .5em}",
    ".claim>header .line{margin-left:auto}",
    ".amiss{border-width:1.5px 1.5px 1.5px 6px;border-color:var(--tone)}",
    ".claim .source{background:none;padding:0;margin:.6rem "
    "0;white-space:pre-wrap;overflow-wrap:anywhere}",
    ".claim p{margin:.35rem 0;font-size:.975rem}",
    ".found code{background:var(--tint);overflow-wrap:anywhere}",
    ".what{font:600 .8rem var(--sans);color:var(--tone)}",
    ".claim:target{box-shadow:0 0 0 3px var(--link)}",
    "figure{margin:.9rem 0 .4rem;overflow-x:auto}",
    "figure "
    "svg{display:block;font-family:var(--sans);max-width:100%;height:auto;border-radius:4px}",
    "@media screen and (max-width:34rem){figure svg{min-width:32rem}}",
    ".claim .again,.back{font:.85rem var(--sans)}",
    "details{margin-top:.6rem;border-top:1px solid var(--rule);font-size:.95rem}",
    "summary{font:500 .875rem/1.5 var(--sans);padding-top:.5rem;cursor:pointer}",
    "summary span{color:var(--quiet);font-weight:400;margin-left:.4em}",
    "details ol{margin:.5rem 0 0;padding-left:1.6rem}",
    "details li{margin:.5rem 0}",
    "details li::marker{color:var(--quiet);font:500 .85rem var(--sans)}",
    ".step{font:600 .875rem/1.5 var(--sans)}",
    "details pre{margin:.25rem 0;padding:.5rem "
    ".75rem;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.79rem}",
    ".complaint p{margin:0 0 .4rem;font:.9rem/1.5 var(--sans)}",
    ".complaint pre{margin:0}",
    "footer{margin-top:4rem;color:var(--quiet);font:.85rem/1.5 var(--sans)}",
    "@media (min-width:84rem){.contents{position:fixed;left:calc(50vw - "
    "40rem);top:0;width:15rem;max-height:100vh;overflow-y:auto;margin:0;padding:2rem "
    "0;border:0}.contents ul{columns:auto}}",
    "@media "
    "(max-width:34rem){body{font-size:1rem;padding-inline:.8rem}h1{font-size:1.65rem;margin-top:1."
    "75rem}.level1{font-size:1.5rem}.claim,.complaint:not(li){padding:.65rem "
    ".7rem}pre{padding:.6rem .7rem;font-size:.78rem}.claim>header .line{margin-left:0}}",
    "@media print{@page{margin:15mm "
    "14mm}footer{margin-top:1rem}body{font-size:10pt;padding:0;background:#fff}.summary,main,"
    "footer,.contents{max-width:"
    "none}.contents,.map,.skip,.back,.again{display:none}.document{border-top-width:2px;margin-top:"
    "1.5rem}.document+.document{break-before:page;margin-top:0}.claim,pre,figure,table{break-"
    "inside:avoid}.claim:has(details){break-inside:auto}.claim>header,.source{break-after:avoid}"
    "details li{break-inside:avoid}pre,.claim "
    ".source{white-space:pre-wrap;overflow-wrap:anywhere;font-size:8.5pt}details "
    "pre{font-size:7.5pt}a{color:inherit}*{print-color-adjust:exact;-webkit-print-color-adjust:"
    "exact}details::details-content{content-visibility:visible;block-size:auto}summary{list-style:"
    "none}}",
};

/* Folded text does not print; a style cannot open it. */
const char qkv__html_script[] =
    "(function(){var opened=[];addEventListener('beforeprint',function(){opened=[].sl"
    "ice.call(document.querySelectorAll('details:not([open])'));opened.forEach(functi"
    "on(d){d.open=true})});addEventListener('afterprint',function(){opened.forEach(fu"
    "nction(d){d.open=false});opened=[]})})();";

/* Of the script above; a test computes it again. */
const char qkv__html_script_hash[] = "sha256-rjmKUIFeUybwFo+DEC8q5wW3EW8bi+nkjpazshtC3C4=";

static void put_colour(qkv__text *text, const char *light, const char *dark)
{
    qkv__text_format(text, "figure [fill=\"%s\"]{fill:%s}figure [stroke=\"%s\"]{stroke:%s}\n",
                     light, dark, light, dark);
}

/* Figures are drawn for light pages; in the dark each colour gives way to its counterpart. */
static void put_dark_figures(qkv__text *text)
{
    const qkv__palette *light = qkv__figure_palette(QKV_THEME_LIGHT),
                       *dark = qkv__figure_palette(QKV_THEME_DARK);
    put_colour(text, light->background, dark->background);
    put_colour(text, light->text, dark->text);
    put_colour(text, light->quiet, dark->quiet);
    put_colour(text, light->grid, dark->grid);
    for (int i = 0; i < QKV__SERIES; i++) put_colour(text, light->series[i], dark->series[i]);
    for (int i = 0; i < QKV__HEAT_LEVELS; i++) {
        char from[8], to[8];
        bool light_text;
        qkv__figure_heat_colour(QKV_THEME_LIGHT, i, from, &light_text);
        qkv__figure_heat_colour(QKV_THEME_DARK, i, to, &light_text);
        qkv__text_format(text, "figure [fill=\"%s\"]{fill:%s}\n", from, to);
    }
}

void qkv__html_styles(qkv__text *text)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        qkv__text_format(text, "%s\n", rules[i]);
    qkv__text_format(text, "@media screen and (prefers-color-scheme:dark){\n");
    put_dark_figures(text);
    qkv__text_format(text, "}\n");
}
