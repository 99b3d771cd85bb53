/** What every token has used of GitHub's limits, and what each caller has cost since the world began. */

import { github } from '../../limits/limits.ts';
import { type Html, html } from '../html.ts';
import { moment } from '../parts/moment.ts';
import { panelCard, panelTable, share } from './cards.ts';
import type { PanelFacts } from './panel.ts';

export function limitsCard(facts: PanelFacts): Html {
  return panelCard(
    'limits',
    'Limits',
    html`<h3>This hour and this minute, by token</h3>${stands(facts)}
    <h3>Since the world began, by caller</h3>${costs(facts)}
    <p class="muted small">The bot is what says <code>installation</code>, <code>app</code> or <code>workflows</code>; what people do on this page counts for themselves.</p>`,
  );
}

function stands({ rest, graphql, secondary }: PanelFacts): Html {
  const keys = [...new Set([rest, graphql, secondary].flatMap((table) => Object.keys(table)))].toSorted();
  if (keys.length === 0) return html`<p class="nothing">Nobody has asked anything yet.</p>`;
  return panelTable(
    'Limits by token',
    [
      'token',
      'REST an hour',
      'resets',
      'GraphQL an hour',
      'content a minute',
      'content an hour',
      'REST points a minute',
      'GraphQL points a minute',
      'at once',
    ],
    keys.map((key) => {
      const core = rest[key];
      const points = graphql[key];
      const stand = secondary[key];
      const resetAtMs = core?.resetAtMs ?? points?.resetAtMs;
      return [
        html`<code>${key}</code>`,
        core === undefined ? '–' : share(core.used, core.limit),
        resetAtMs === undefined ? '–' : moment(new Date(resetAtMs).toISOString()),
        points === undefined ? '–' : share(points.used, points.limit),
        share(stand?.contentLastMinute ?? 0, github.contentPerMinute),
        share(stand?.contentLastHour ?? 0, github.contentPerHour),
        share(stand?.pointsLastMinute ?? 0, github.pointsPerMinute),
        share(stand?.graphqlPointsLastMinute ?? 0, github.graphqlPointsPerMinute),
        share(stand?.inFlight ?? 0, github.requestsAtOnce),
      ];
    }),
  );
}

function costs({ usage }: PanelFacts): Html {
  return panelTable(
    'Cost by caller',
    ['caller', 'REST', 'GraphQL', 'not modified (free)', 'content writes', 'tokens minted', 'git'],
    Object.entries(usage).map(([caller, used]) => [
      html`<code>${caller}</code>`,
      used.rest,
      used.graphql,
      used.notModified,
      used.contentWrites,
      used.mints,
      used.git,
    ]),
  );
}
