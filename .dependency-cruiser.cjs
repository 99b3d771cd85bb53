/**
 * The import arrows of the architecture (docs/architecture.md): imports run
 * downwards only. `npm run arrows` checks them; test/policy/arrows.test.ts breaks each one and expects to be told.
 */

/** From below to above: a room of the core imports those before it and none after it, so that rooms form no circle. */
const CORE_ORDER = [
  'logbook',
  'settings',
  'detectors',
  'diagnosis',
  'delta',
  'rental',
  'watch',
  'config',
  'care',
  'checkpoints',
  'gates',
  'commands',
  'contracts',
  'render',
  'run',
  'actions',
  'kinds',
];
const CORE = CORE_ORDER.filter((room) => room !== 'logbook');
const ADAPTERS = ['github', 'engines', 'clouds', 'trackers', 'stores', 'notify'];
const STORE = '^src/logbook/store/';
const core = `^src/(${CORE.join('|')})/|^src/logbook/(?!store/)`;
const adapter = `^src/(${ADAPTERS.join('|')})/|${STORE}`;

/** Which rooms may import which packages; a package that is not listed here may be imported by none. */
const PACKAGES = {
  '@actions/core': '^src/app/action/',
  '@octokit/core|@octokit/auth-app': '^src/(github|app)/',
  // Names of events as types: nothing of it runs, so any room may know them.
  '@octokit/webhooks': '^src/',
  'probot|p-queue|prom-client': '^src/app/server/',
  execa: '^src/(host|engines|clouds)/',
  // The package of files that a cluster takes.
  fflate: '^src/engines/shared/package-files',
  // What Ray leaves out of such a package, and what a lab says that its scripts do.
  ignore: '^src/(engines/ray|settings)/',
  yaml: '^src/(config|care/infra|delta|app/cli)/',
  'toml-eslint-parser': '^src/delta/',
  'mdast|mdast-util-.+|micromark-.+|@types/mdast': '^src/(commands|contracts|kinds|render)/',
  leven: '^src/(?:settings|diagnosis)/',
  canonicalize: '^src/logbook/',
  nodemailer: '^src/notify/',
  // The signature of S3's requests, and its listings.
  'aws4fetch|@rgrove/parse-xml': '^src/stores/',
  'p-limit': '^src/(app|stores)/',
  // Secrets that go to GitHub.
  'libsodium-wrappers': '^src/app/cli/init/',
  '@commander-js/extra-typings|commander': '^src/app/cli/',
  zod: `^src/(host|settings|config|kinds|commands|logbook|handlers|github|engines|clouds|trackers|checkpoints|stores|app)/|^src/domain/(logbook|launch|actions|care)/`,
};

const packagePath = (names) => `node_modules/(${names})(/|$)`;

module.exports = {
  forbidden: [
    {
      name: 'domain-imports-nothing',
      comment: 'The words of the domain depend on nobody, so that everybody can depend on them.',
      severity: 'error',
      from: { path: '^src/domain/' },
      // The rule about zod says which folder of it may know that.
      to: { pathNot: '^src/domain/|^node_modules/zod/' },
    },
    {
      name: 'core-is-pure',
      comment: 'Clock, randomness, environment, files and network arrive in the core as arguments.',
      severity: 'error',
      from: { path: `${core}|^src/domain/` },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'core-knows-no-outside',
      comment: 'The core decides; adapters, handlers and composition roots carry out.',
      severity: 'error',
      from: { path: core },
      to: {
        path: `${adapter}|^src/(host|handlers|app)/`,
        // What an engine says of itself is pure, as is the list of channels; adapters are loaded by who calls them.
        pathNot: '^src/(engines/(registry|definition)|notify/registry)\\.ts$',
      },
    },
    {
      name: 'decisions-have-no-prose',
      comment: 'Commands and gates return reason codes; render turns them into sentences.',
      severity: 'error',
      from: { path: '^src/(commands|gates)/' },
      to: { path: '^src/render/' },
    },
    {
      name: 'prose-decides-nothing',
      comment: 'A sentence is told what was decided.',
      severity: 'error',
      from: { path: '^src/render/' },
      to: { path: '^src/(gates|run)/' },
    },
    {
      name: 'kinds-are-registered',
      comment:
        'What is the same for all runs asks the kind of a run, and knows none: a new one is its folder and one line.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/kinds/|^src/app/config-source\\.ts$|^src/app/cli/verbs/' },
      to: { path: '^src/kinds/' },
    },
    {
      name: 'kinds-stand-alone',
      comment: 'One kind never learns of another; the registry names them all.',
      severity: 'error',
      from: { path: '^src/kinds/([^/]+)/' },
      to: { path: '^src/kinds/', pathNot: '^src/kinds/$1/' },
    },
    {
      name: 'adapters-know-domain-and-host',
      comment: 'An adapter knows one outside system and nothing of what is decided with it.',
      severity: 'error',
      from: { path: `^src/(${ADAPTERS.join('|')})/`, pathNot: '^src/engines/' },
      to: { path: '^src/', pathNot: `^src/(domain|host)/|^src/(${ADAPTERS.join('|')})/` },
    },
    {
      name: 'engines-know-settings-too',
      comment: 'An engine brings the schema of its own settings; of what is decided it knows nothing.',
      severity: 'error',
      from: { path: '^src/engines/' },
      to: { path: '^src/', pathNot: '^src/(domain|host|settings|engines)/' },
    },
    ...ADAPTERS.map((room) => ({
      name: `adapter-${room}-stands-alone`,
      comment: 'One outside system never learns of another through an import.',
      severity: 'error',
      from: { path: `^src/${room}/` },
      to: { path: adapter, pathNot: `^src/${room}/` },
    })),
    {
      name: 'store-knows-logbook-and-git',
      comment: 'The git store keeps what the logbook encodes; it knows no other outside system.',
      severity: 'error',
      from: { path: STORE },
      to: { path: '^src/', pathNot: '^src/(domain|host|logbook)/' },
    },
    {
      name: 'host-knows-domain',
      comment: 'What the machine gives, without a thought about what it is for.',
      severity: 'error',
      from: { path: '^src/host/' },
      to: { path: '^src/', pathNot: '^src/(domain|host)/' },
    },
    {
      name: 'handlers-wake',
      comment: 'A handler turns a payload into a trigger; it calls nothing outside.',
      severity: 'error',
      from: { path: '^src/handlers/' },
      to: { path: `${adapter}|^src/(host|app)/` },
    },
    {
      name: 'nothing-imports-app',
      comment: 'Composition roots are the top.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/app/' },
      to: { path: '^src/app/' },
    },
    {
      name: 'src-stands-alone',
      comment: 'What is shipped needs nothing that is not.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(packages|demo|test|scripts|bench|fixtures)/' },
    },
    {
      name: 'playground-shares-nothing',
      comment: 'A mistake that bot and playground shared would hide itself.',
      severity: 'error',
      from: { path: '^packages/playground/' },
      to: { path: '^(src|demo|test|scripts|bench)/' },
    },
    {
      name: 'playground-names-its-packages',
      comment: 'It is a package of its own: what it imports stands in its own package.json.',
      severity: 'error',
      from: { path: '^packages/playground/', pathNot: '^packages/playground/(test/|vitest)' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-optional', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'stores-know-no-github',
      comment: 'The stores and git over HTTP are git, whatever stands on top of them.',
      severity: 'error',
      from: { path: '^packages/playground/git/(store|smart-http)/' },
      to: {
        path: '^packages/playground/',
        pathNot: '^packages/playground/(git/(store|smart-http)/|limits/limits\\.ts$|clock\\.ts$)',
      },
    },
    {
      name: 'one-place-mints-capabilities',
      comment: 'What a mutating call asks for is made from a verified action, there and nowhere else.',
      severity: 'error',
      from: {
        path: '^(src|packages|demo)/',
        pathNot: '^src/actions/mint\\.ts$|^src/domain/actions/capability(-seal)?\\.ts$',
      },
      to: { path: '^src/domain/actions/capability-seal\\.ts$' },
    },
    {
      name: 'only-executors-mint-capabilities',
      comment: 'Who carries out an action asks for the capability; nobody else has a use for one.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(actions|app/(care|runner|watch))/' },
      to: { path: '^src/actions/mint\\.ts$' },
    },
    {
      name: 'actions-know-no-kind',
      comment: 'The pipeline serves every kind of run and speaks to nobody.',
      severity: 'error',
      from: { path: '^src/actions/' },
      to: { path: '^src/(kinds|render)/' },
    },
    ...CORE_ORDER.slice(0, -1).map((room, index) => ({
      name: `${room}-knows-nothing-above`,
      comment: 'Rooms of the core have an order, so that one of them can be read without those that build on it.',
      severity: 'error',
      from: { path: `^src/${room}/`, pathNot: STORE },
      to: { path: `^src/(${CORE_ORDER.slice(index + 1).join('|')})/`, pathNot: STORE },
    })),
    { name: 'no-circles', severity: 'error', from: { pathNot: '^src/domain/' }, to: { circular: true } },
    {
      name: 'no-circles-at-run-time',
      comment: 'A definition of an event names the state that it changes, which is made of the data of events.',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'found',
      comment: 'An import that cannot be resolved is one that was not checked.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'shipped-packages-are-dependencies',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-optional', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
      },
    },
    ...Object.entries(PACKAGES)
      .filter(([, rooms]) => rooms !== '^src/')
      .map(([names, rooms]) => ({
        name: `package-${names.split('|')[0].replace('/.+', '').replace('@', '')}-has-its-rooms`,
        comment: 'A library is known where its subject is handled, and can be replaced there.',
        severity: 'error',
        from: { path: '^src/', pathNot: rooms },
        to: { path: packagePath(names) },
      })),
    {
      name: 'package-is-on-the-list',
      comment: 'A new package is a decision: say here which rooms may know it.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: 'node_modules/', pathNot: packagePath([...Object.keys(PACKAGES), '@types/.+'].join('|')) },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '__pycache__' },
    // Imports of types are arrows too.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
    progress: { type: 'none' },
  },
};
