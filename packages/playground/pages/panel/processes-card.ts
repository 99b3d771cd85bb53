/** The lab's processes: the App's server, the runners and their activity, the engine's jobs. */

import { type Html, html } from '../html.ts';
import { panelCard, panelTable } from './cards.ts';
import type { PanelFacts } from './panel.ts';

export function processesCard({ processes }: PanelFacts): Html {
  return panelCard(
    'processes',
    'Processes',
    processes.length === 0
      ? html`<p class="nothing">Everything runs in one process here.</p>`
      : panelTable(
          'Processes',
          ['name', 'state', 'doing', 'process'],
          processes.map(({ name, isBusy, doing, pid }) => [
            name,
            isBusy ? html`<span class="tone-good">busy</span>` : 'idle',
            doing,
            pid === null ? '–' : pid,
          ]),
        ),
  );
}
