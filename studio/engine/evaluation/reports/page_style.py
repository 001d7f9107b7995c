"""The style sheet of the report page, in light and dark."""

STYLE = """
:root{color-scheme:light dark;--ground:#f6f7f9;--card:#fff;--text:#1a1e24;--quiet:#596270;
--line:#dfe3e8}
@media(prefers-color-scheme:dark){:root{--ground:#14171c;--card:#1c2026;--text:#e8ebef;
--quiet:#a0a9b6;--line:#343b46}}
body{margin:0;background:var(--ground);color:var(--text);
font:14px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:1080px;margin:0 auto;padding:24px}
h1{font-size:24px;margin:0}h2{font-size:17px;margin:0 0 12px}
section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:16px 20px;
margin-top:16px;overflow-x:auto}
p{margin:4px 0}.quiet{color:var(--quiet)}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:3px 12px 3px 0;text-align:right;white-space:nowrap}
th:first-child,td:first-child{text-align:left}
thead th{border-bottom:1px solid var(--line);color:var(--quiet);font-weight:600}
td small{color:var(--quiet);margin-left:6px}
.tiles{display:flex;flex-wrap:wrap;gap:12px 32px}.tiles b{display:block;font-size:26px;
font-weight:600;line-height:1.2}.tiles span{color:var(--quiet)}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(320px,1fr));gap:16px}
figure{margin:0}figcaption{font-weight:600;margin-bottom:4px}
svg{width:100%;height:auto;display:block}svg text{fill:var(--text);font-size:11px}
.grid{stroke:var(--line);fill:none}
.legend{display:flex;flex-wrap:wrap;gap:4px 14px;font-size:12px}
.legend i{display:inline-block;width:14px;height:3px;margin-right:5px;vertical-align:middle}
.images{display:flex;flex-wrap:wrap;gap:10px}.images div{width:84px;font-size:11px;
line-height:1.3;overflow-wrap:anywhere}.images img{display:block;height:72px;max-width:84px;
image-rendering:auto;border-radius:4px}
details{margin-top:6px}summary{cursor:pointer}
@media print{section{break-inside:avoid}}
"""
