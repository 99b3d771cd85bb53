/** The frame of every page: top bar with the speaker, the content, and the world's bar in the footer. */
import { type Html, html } from '../html.ts';
import type { Screen, Visit } from '../visit.ts';
import { icon } from './icons.ts';
import { speakerMenu } from './speaker-menu.ts';

/** A whole document. Parts with `data-key` inside `data-live` are exchanged separately when the world changes. */
export function layout(visit: Visit, screen: Extract<Screen, { kind: 'page' }>, worldBar: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${screen.title}</title>
<link rel="icon" href="/_playground/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/_playground/assets/page.css">
<script type="module" src="/_playground/assets/page.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
  <a class="brand" href="/">${icon('ferry')}<span>playground</span></a>
  <span class="top-note">a GitHub on this machine</span>
  ${speakerMenu(visit)}
</header>
${screen.header}
<main id="main" tabindex="-1">
${screen.body}
</main>
<footer class="world" data-live="world" aria-label="State of the playground">${worldBar}</footer>
<div id="said" class="sr-only" role="status" aria-live="polite"></div>
</body>
</html>`;
}
