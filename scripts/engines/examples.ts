/** The smallest cluster of each engine that a config takes, as it stands in `clusters` of .github/ferrybot.yml. */

export const EXAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  local: { engine: 'local', acceleratorHoursPerRun: '1' },
  ray: { engine: 'ray', dashboard: 'http://10.0.0.2:8265', tokenFrom: 'RAY_TOKEN', acceleratorHoursPerRun: '4' },
  slurm: {
    engine: 'slurm',
    folder: '/shared/ferrybot',
    partition: 'gpu',
    gres: 'gpu:8',
    timeLimit: '8:00:00',
    acceleratorHoursPerRun: '64',
  },
  iris: {
    engine: 'iris',
    controller: 'https://iris.lab.example',
    user: 'ferrybot',
    tokenFrom: 'IRIS_TOKEN',
    acceleratorHoursPerRun: '64',
  },
  vast: {
    engine: 'vast',
    fleet: 'lab',
    keyFrom: 'VAST_API_KEY',
    dollarsMax: '4',
    image: `pytorch/pytorch@sha256:${'0'.repeat(64)}`,
    gpu: 'RTX 4090',
    vramGb: 24,
    ramGb: 32,
    diskGb: 30,
    dollarsPerHourMax: '0.50',
    hoursMax: 8,
    acceleratorHoursPerRun: '8',
  },
};
