/** The recordings of the newer Iris match a real one: replays the scenes that need no fault. */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, it } from 'vitest';
import { describeWithIris, startTestIris, type TestIris } from '../support/iris-cluster.ts';
import { type Asking, expectRecorded, scenes, textOf } from '../support/iris-scenes.ts';
import type { RpcAnswer } from '../support/recorded-iris.ts';

const CALM = scenes.filter(({ release }) => release === '2026-06-18');

describeWithIris('the real Iris of June 2026', () => {
  let iris: TestIris;
  beforeAll(async () => {
    iris = await startTestIris();
  }, 300_000);
  afterAll(() => iris.close());

  it.each(CALM.map((scene) => [scene.title, scene] as const))(
    'answers as recorded: %s',
    async (_, { steps }) => {
      for (const one of steps) {
        if ('pass' in one) await sleep(one.pass);
        else if ('ask' in one) expectRecorded(one, await answerTo(iris.controller, one));
        else throw new Error('only what needs no fault can be asked of a real one');
      }
    },
    120_000,
  );
});

async function answerTo(controller: string, one: Asking): Promise<RpcAnswer> {
  const said = await fetch(`${controller}/${one.ask}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: textOf(one, Date.now()),
  });
  const text = await said.text();
  return { status: said.status, body: text === '' ? '' : (JSON.parse(text) as object) };
}
