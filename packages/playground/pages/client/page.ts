/** The page's script: everything works without it, with it the page follows the world by itself. */
import { keepDraft } from './draft.ts';
import { followForms } from './forms.ts';
import { followWorld } from './live.ts';
import { closeMenus } from './menus.ts';
import { dress } from './parts.ts';
import { followTicks } from './ticks.ts';
import { keepTimesFresh } from './times.ts';

// On a narrow screen the chosen tab may stand outside of the row.
for (const tab of document.querySelectorAll('.tab[aria-current]')) {
  tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}
const world = followWorld();
keepTimesFresh();
closeMenus();
keepDraft();
followForms(world.refresh);
followTicks(world.refresh);
await dress(document.body);
