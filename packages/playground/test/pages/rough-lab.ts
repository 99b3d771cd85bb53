/** A lab with difficult data of every kind: texts with markup, huge changes, failed runs, a manipulated logbook. */

import type { World } from '../../world/world.ts';
import type { RealSite } from './real-site.ts';
import { plantRoughRuns } from './rough-runs.ts';

/** Markup, a script, quotes, right-to-left text, zero-width letters, and an endless word. */
export const ROUGH = `<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>"'&\u202Egnp.exe\u202C\u200B\u200D\uFEFF`;
/** Ten thousand characters without a possible line break. */
export const ENDLESS = 'x'.repeat(10_000);
const ROUGH_BRANCH = `rough/${'long-'.repeat(30)}"'&<b>`;
const FILES = 300;

/** Addresses of the created data. */
export type RoughLab = {
  readonly thread: string;
  readonly pull: string;
  readonly failedRun: string;
  readonly runs: readonly string[];
  readonly folder: string;
};

export async function plantRoughLab(site: RealSite): Promise<RoughLab> {
  const repo = '/repos/lab/ferries';
  const { number } = await site.call('ada', 'POST', `${repo}/issues`, {
    title: `${ROUGH}${'y'.repeat(256 - ROUGH.length)}`,
    body: roughText(),
  });
  await site.call('mira', 'POST', `${repo}/labels`, { name: `<b>${'l'.repeat(46)}`, color: 'd73a4a' });
  await site.call('mira', 'POST', `${repo}/issues/${String(number)}/labels`, {
    labels: [`<b>${'l'.repeat(46)}`, 'ferry'],
  });
  await site.call('ravi', 'POST', `${repo}/issues/${String(number)}/comments`, { body: roughText() });
  const pull = await plantRoughPull(site);
  const runs = await plantRoughRuns(site.world, pull.sha, ROUGH_BRANCH);
  await site.call('ferrybot', 'POST', `${repo}/check-runs`, {
    name: `${ROUGH} / gate`,
    head_sha: pull.sha,
    status: 'completed',
    conclusion: 'failure',
    output: {
      title: `${ROUGH}${'t'.repeat(100)}`,
      summary: roughText(),
      text: roughText(),
      annotations: (['notice', 'warning', 'failure'] as const).map((level) => ({
        path: 'lib/module_000.py',
        start_line: 1,
        end_line: level === 'failure' ? 2 : 1,
        annotation_level: level,
        title: ROUGH,
        message: `${ROUGH}\n${ENDLESS}`,
        raw_details: ENDLESS,
      })),
    },
  });
  return {
    thread: `/lab/ferries/issues/${String(number)}`,
    pull: `/lab/ferries/pull/${pull.number}`,
    failedRun: `/lab/ferries/actions/runs/${runs[0] ?? 0}`,
    runs: runs.map((id) => `/lab/ferries/actions/runs/${id}`),
    folder: `/lab/ferries/tree/${ROUGH_BRANCH.split('/').map(encodeURIComponent).join('/')}`,
  };
}

/** Text in every place that Markdown has for it. */
function roughText(): string {
  const word = 'z'.repeat(2_000);
  return [
    ROUGH,
    ENDLESS,
    `# ${word}`,
    `- [ ] ${word}\n- ${ROUGH}`,
    `> ${word}`,
    `\`${word}\``,
    `\`\`\`\n${ENDLESS}\n\`\`\``,
    `| ${word} | b |\n|---|---|\n| ${ROUGH} | ${word} |`,
    `[${word}](https://example.com/${word})`,
    `<details><summary>${word}</summary>\n\n${word}\n\n</details>`,
    '[x](javascript:alert(1)) <svg onload=alert(1)></svg> <style>*{display:none}</style> ![p](https://example.com/p.png)',
    '```mermaid\nxychart-beta\n  title "not a chart\n```',
  ].join('\n\n');
}

/** 300 files, including a renamed one, a binary one, a hostile name, an endless line and five megabytes. */
async function plantRoughPull(site: RealSite): Promise<{ readonly number: number; readonly sha: string }> {
  const { world } = site;
  const { store, head } = await mainOf(world);
  const blob = async (text: string | Uint8Array) =>
    store.writeBlob(typeof text === 'string' ? Buffer.from(text) : text);
  const file = (name: string, sha: string) => ({ mode: '100644', type: 'blob', name, sha }) as const;
  const folder = (name: string, sha: string) => ({ mode: '040000', type: 'tree', name, sha }) as const;
  const row = (index: number, what: string): string => `step ${index} of ${what} went well enough\n`;
  const rows = (count: number, what: string): string =>
    Array.from({ length: count }, (_, index) => row(index, what)).join('');
  const moved = await blob(rows(20, 'a file that moves'));
  const treeOf = async (side: 'before' | 'after'): Promise<string> => {
    const modules = Array.from({ length: FILES - 5 }, async (_, index) =>
      file(
        `module_${String(index).padStart(3, '0')}.py`,
        await blob(`rate = ${index}\nside = "${side}"\nend = ${index}\n`),
      ),
    );
    const lib = await store.writeTree(await Promise.all(modules));
    return store.writeTree(
      [
        folder('lib', lib),
        file('<b>"name"\u202E.txt', await blob(`${ROUGH} ${side}\n`)),
        file('bytes.bin', await blob(Uint8Array.from([0, 1, 2, side === 'after' ? 255 : 0, 0]))),
        file('endless.txt', await blob(`${ENDLESS}${side}\n`)),
        file('huge.txt', await blob(rows(side === 'after' ? 130_000 : 1, side))),
        file(side === 'after' ? 'new-name.txt' : 'old-name.txt', moved),
      ].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    );
  };
  const commit = async (tree: string, parents: readonly string[], message: string): Promise<string> => {
    const by = { name: ROUGH, email: 'ada@lab.example', atMs: Date.parse('2026-11-21T06:00:00Z') };
    return store.writeCommit({ tree, parents, author: by, committer: by, message });
  };
  const before = await commit(await treeOf('before'), [head], 'Lay the ground');
  await store.updateRef({ ref: 'refs/heads/ground', sha: before });
  const sha = await commit(await treeOf('after'), [before], `${ROUGH}${'m'.repeat(500)}\n\n${ROUGH} ${ENDLESS}`);
  await store.updateRef({ ref: `refs/heads/${ROUGH_BRANCH}`, sha });
  const { number } = await site.call('ada', 'POST', '/repos/lab/ferries/pulls', {
    title: `Rough ${ROUGH}`,
    head: ROUGH_BRANCH,
    base: 'ground',
    body: roughText(),
  });
  return { number: Number(number), sha };
}

async function mainOf(world: World) {
  const repo = Object.values(world.state.repos)[0];
  if (repo === undefined) throw new Error('the seed made no repository');
  const store = world.gitOf(repo);
  const head = (await store.refs('refs/heads/main')).get('refs/heads/main');
  if (head === undefined) throw new Error('main has no commit');
  return { store, head };
}
