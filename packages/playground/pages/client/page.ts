/** The page's script. Everything works without it; with it, the page follows the world. */
import { keepDraft } from './draft.ts';
import { followForms } from './forms.ts';
import { followWorld } from './live.ts';
import { closeMenus } from './menus.ts';
import { enhancePart } from './parts.ts';
import { followTicks } from './ticks.ts';
import { keepTimesFresh } from './times.ts';

// On a narrow screen the selected tab may be outside the visible row.
for (const tab of document.querySelectorAll('.tab[aria-current]')) {
  tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}
const world = followWorld();
keepTimesFresh();
closeMenus();
keepDraft();
followForms(world.refresh);
followTicks(world.refresh);
await enhancePart(document.body);
