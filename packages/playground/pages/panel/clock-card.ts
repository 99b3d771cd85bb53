/** The world's clock, and buttons that move it forward. */

import { type Html, html } from '../html.ts';
import { panelCard } from './cards.ts';
import type { PanelFacts } from './panel.ts';

const minuteMs = 60_000;
const steps = [
  { label: '10 minutes', durationMs: 10 * minuteMs },
  { label: '1 hour', durationMs: 60 * minuteMs },
  { label: '1 day', durationMs: 24 * 60 * minuteMs },
] as const;

export function clockCard({ nowMs, offsetMs }: PanelFacts): Html {
  const now = new Date(nowMs).toISOString();
  const moved =
    offsetMs === null || offsetMs === 0 ? '' : `, ${Math.round(offsetMs / minuteMs)} minutes ahead of this machine`;
  const buttons =
    offsetMs === null
      ? html`<p class="muted">This clock cannot be moved by hand.</p>`
      : html`<form class="row" method="post" action="/_playground/world/clock" data-act>${steps.map(
          ({ label, durationMs }) =>
            html`<button class="button" name="durationMs" value="${durationMs}">${label} later</button>`,
        )}</form>`;
  return panelCard(
    'clock',
    'Clock',
    html`<p><time datetime="${now}"><strong>${now.slice(0, 10)} ${now.slice(11, 19)}</strong> UTC</time>${moved}</p>`,
    buttons,
  );
}
