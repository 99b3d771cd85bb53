/** Handles one event in the given mode. Tests run the same function on virtual time. */

import { changeAction } from '../../actions/change-cluster.ts';
import { carryOut } from '../../actions/pipeline.ts';
import { GitError } from '../../domain/git.ts';
import type { ReconcileRequest } from '../../domain/reconcile-request.ts';
import { after, assertNever, isRunId } from '../../domain/values.ts';
import { synchronizeClock } from '../../github/call.ts';
import { triggerOf } from '../../handlers/registry.ts';
import { JOURNAL } from '../../logbook/chain.ts';
import { needsWatch } from '../../run/decide-watch.ts';
import type { NothingCode, ProposeOutcome } from '../../run/proposing.ts';
import { gatherActionFacts } from '../care/action-facts.ts';
import { executorFor } from '../care/executor-for.ts';
import { accountChecks } from '../control/cluster.ts';
import { watchesOf } from '../control/reconcile-run.ts';
import { reportTroubles } from '../control/report-corrupt-logbook.ts';
import { createWorker, type Worker } from '../control/worker.ts';
import { scanMode } from '../disk-scan/scan-mode.ts';
import { askFixer } from '../fixer/fix-mode.ts';
import { createLabOpener, type OpenLab } from '../open-lab.ts';
import { postOwed } from '../outbox.ts';
import { type LaneProposal, propose } from '../propose/propose.ts';
import { recordFault } from '../record-files.ts';
import { launch } from '../runner/launch.ts';
import { stopJob } from '../stop-mode/stop-run.ts';
