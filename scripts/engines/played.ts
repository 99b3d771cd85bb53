/** Where the contract of every engine is played, and on what: the file names the engine's abilities. */

export const PLAYED: Readonly<Record<string, readonly { readonly file: string; readonly on: string }[]>> = {
  local: [{ file: 'test/engines/engine-contract.test.ts', on: 'real processes' }],
  ray: [
    { file: 'test/engines/engine-contract.test.ts', on: 'a recorded head' },
    { file: 'test/ray/rest-contract.test.ts', on: 'a real head (`npm run test:ray`)' },
  ],
  slurm: [{ file: 'test/slurm/contract.test.ts', on: 'a real cluster (`npm run test:slurm`)' }],
  iris: [
    {
      file: 'test/iris/contract.test.ts',
      on: 'a recorded controller, or with `npm run test:iris -- --controller URL` your own',
    },
    { file: 'test/iris/real-contract.test.ts', on: 'a real controller and worker (`npm run test:iris`)' },
  ],
  vast: [
    {
      file: 'test/engines/vast-contract.test.ts',
      on: 'the rehearsed Vast.ai of the playground, whose instances are real processes',
    },
  ],
};
