/** The cluster as a whole: scheduler, capacity, preemption, coordination, and hangs. */

import { named, type Row, rows } from '../row.ts';

/** Messages of Ray, Slurm, Kubernetes, Iris, JAX's coordination service, PyTorch's elastic agent and the clouds. */
export const CLUSTER_ROWS: readonly Row[] = [
  ...rows('cause', 'capacity', 'high', [
    // It may get them in the next line.
    /\bexceeds? quota limits?\b/,
    /\bno available nodes\b.{0,60} satisfy|\binsufficient quota\b|no node type can (?:satisfy|fulfill)|\bPENDING \((?:Priority|Resources)|Requested (?!node )\w{1,20} configuration (?:is )?not available/,
    /\bCapacityError\b|\b(?:Vcpu|Instance|SpotInstanceCount|Resource)Limit(?:Is)?Exceeded|MaxSpotInstanceCountExceeded|\bno_such_ask\b|\b(?:[Ii]nstance|[Oo]ffer|[Mm]achine)s?\b.{0,40} (?:no longer|not) available|no longer any instances available|couldn'{1,2}t assign flavors|insufficient unused quota|Unable to provision|not have sufficient capacity|Resources are insufficient|AllocationFailed|OverconstrainedAllocation|Waiting for workers in scale group|Quota limit '[^']{1,200}' has been exceeded/,
    /\bOutOf(?:cpu|memory|pods|nvidia|google)\b|didn't have enough resource|not have enough resources available/,
    /before the request could be allocated|never became ACTIVE|WAITING_FOR_RESOURCES|(?<!confirm )(?:allocation|reservation|queued resource)\b.{0,60}(?:timed out|expired)/,
    // Google Cloud's own sentence.
    named('quota-exceeded', /\bQuota '[^']{1,200}' exceeded/),
    /\bQuota '[^']{1,200}' exhausted|\bNO_CAPACITY\b|_NO_CAPACITY\b|\bno offers left\b|QUOTA_EXCEEDED|quota_exceeded|quotaExceeded|Insufficient quota/,
    /ZONE_RESOURCE_POOL_EXHAUSTED|InsufficientInstanceCapacity|no more capacity in (?:the )?zone|There is not enough capacity|stockout|InsufficientCapacity\b|Insufficient (?:capacity|(?:cpu|memory|nvidia\.com\/gpu|google\.com\/tpu))|OutOfCapacity|SkuNotAvailable|ResourcesUnavailableError/i,
    named('autoscaler-demand', /unsatisfied autoscaler demand|tier_blocked:|slice couldn't schedule/),
    /No available node types can fulfill|cannot be scheduled right now|The following resource request cannot be scheduled|\d{1,6}\/\d{1,6} nodes are available/,
    /violates accounting\/QOS policy|QOSMax|QOSGrp|AssocGrp|AssocMax|ReqNodeNotAvail|\(Resources\)$/,
  ]),
  ...rows('cause', 'preempted', 'high', [
    /\b(?:because of|due to|after) (?:a )?preemption\b|instance-terminated-no-capacity|Spot request interrupted|\bevicted\b.{0,40}higher priority/,
    /\bPREEMPTION\b/,
    /\b(?:interrupted|terminated|stopped|killed) (?:due to|by) (?:\w{1,20} )?preemption\b/,
    /\bpreempted (?:VM|instance|node|worker|TPU|slice|at|by)\b|\binstance preempted\b|instance\/preempted\b.{0,40}TRUE|\bpreempted to\b|higher priority workload|Interrupted - Training job|Insufficient Spot capacity|MaxWaitTimeExceeded|Spot ITN|spot reclaim/i,
    /DUE TO PREEMPTION|\bPREEMPTED\b|\b[Tt]ermination is imminent\b|(?<!failed, )(?:was|been|being|is|got) (?:pre-?empted|evicted by (?:a )?higher)|[Pp]re-?emption (?:notice|signal|event|detected|warning)|reached preemption sync point|\bsignall?ed (?:a )?pre-?emption|[Ss]pot interruption (?:in|at)\b/,
    /[Ss]pot (?:instance|VM|interruption).{0,60}(?:interrupt|terminat|reclaim|notice)|instance-action.{0,40}(?:terminate|stop)|TERMINATE_ON_HOST_MAINTENANCE|maintenance event|instance is being (?:preempted|terminated)|compute\.instances\.preempted/,
  ]),
  ...rows('cause', 'infra-cluster', 'high', [
    /[Uu]nable to contact slurmctld|Cannot connect to the Docker daemon|failed to start container\b/,
    /OCI runtime (?:create|exec) failed|The connection to the server \S{1,120} was refused|TaintManagerEviction|\bNodeNotReady\b/,
    // Slurm has lost it, and looks after it itself.
    /DUE TO NODE FAILURE|Node failure on|\bNODE_FAIL\b/,
    /\bpyxis: {1,12}mkdir: cannot create directory|\bcontainer creation failed: mount\b/,
    // Of Kubernetes, of Ray, and of what starts the processes of one job.
    /\b(?:FailedAttachVolume|FailedMapVolume|NetworkNotReady|NodeLost)\b|node timed out during startup/,
    named('owner-died', /OwnerDiedError/),
    named('node-lost', /dead node|node heartbeat loss|marked dead because the detector has missed/i),
    /NodeDiedError|owner.{0,20}has died|its node has died|node has died|marked dead because|missed too many heartbeats|[Ww]orker \S{1,80} failed: heartbeat|TASK_STATE_WORKER_FAILED/,
    /Failed to connect to (?:the )?GCS|GCS (?!bucket)(?:server|service)?.{0,40}(?:fail|unavailable|died|restart|not reachable|is down)|gcs_rpc_client.{0,80}(?:fail|exceed)|Unable to connect to (?:the )?Ray|Could not (?:find|connect to) any running Ray|head node.{0,40}(?:died|unreachable|lost)|raylet (?:crash|died|process.{0,20}(?:died|exited))|[Rr]aylet.{0,40}(?:marked this node|is dead)/i,
    /slurm_load_\w{1,40} error|Unable to contact slurm controller|Munge (?:en|de)code failed|Protocol authentication error|Socket timed out on send\/recv operation|slurmctld.{0,60}(?:down|fail|not respond)|slurmstepd: error: (?:Failed to|couldn't|Unable)|srun: error: (?:Unable to (?:create|confirm)|Task launch)|Prolog (?:error|hung)|PROLOG.{0,20}(?:fail|error)/i,
    /etcdserver: |an error on the server .{0,40} has prevented|\bleader election lost\b|\bNo available agent to submit job\b|apiserver.{0,60}(?:refused|unavailable)|FailedCreatePodSandBox|ImagePullBackOff|ErrImagePull|CreateContainer(?:Config)?Error|FailedMount/,
  ]),
  ...rows('cause', 'stalled', 'high', [
    /\bappears? to be (?:hung|stuck)|\b[Dd]eadlock detected|\bstuck (?:at|on|in) step \d|\bno change for \d|\b[Kk]illing (?:the )?(?:job|run)\b.{0,20}\bstalled\b/,
    /\blast (?:log line|output|step|progress|heartbeat|message)\b.{0,20} \d{1,4} ?(?:h|min|m\b|hours?|minutes?).{0,20}\bago\b/i,
    /\b0 steps in the last\b|\bno-progress\b|\bhas not (?:entered|reached|completed|finished|logged|reported) .{0,40} (?:after|in|for|since) \d|detects? a hang|No step progress/i,
    /\bno (?:new )?(?:step|steps|progress|output|log lines?|heartbeat|iterations?) (?:for|in|since) \d|\bstep \d{1,12},? (?:finished |completed |ended )?\d{3,7}(?:\.\d{1,6})? ?s(?:econds)? ago|\b(?:step|iteration) has not (?:increment|advanc|chang)ed (?:in|for|since)\b|hang[-_ ]detector|Termination timeout for .{0,160} exceeded|\bmay be stuck\b/i,
    named('stalled-training', /No progress after [^N(]+ \(timeout [\d.]+\); terminating with exit code 124/),
    /No progress (?:after|for|in) |terminating with exit code 124|exit(?:ed with)?[ _]?(?:code|status)?[ :=]{0,3}124\b|[Dd]ead ?man|stalled training|training (?:has )?(?:stalled|hung|(?:appears|seems) (?:to be )?(?:stuck|hung))|\bno (?:training |optimizer |new )?steps? (?:(?:was|were|has|have|been) ){0,3}(?:completed|finished|made) (?:in|for|since) |hang detected|no heartbeat (?:for|in)/i,
  ]),
  ...rows('cause', 'stalled', 'medium', [/\bDataLoader timed out after \d/]),
  ...rows('cause', 'infra-cluster', 'medium', [
    /[Pp]lugin (?:stack )?initialization failed|[Aa]utoscaler\b.{0,40}[Tt]oo many errors|[Jj]ob credential expired|Communication connection failure/,
    /active (?:on the node )?longer than (?:the )?specified deadline|\bduration exceeded timeout|MaxRuntimeExceeded|failed to create containerd task|\bClusterNotUpError\b/,
    /DUE TO TIME LIMIT|\bTIMEOUT\b.{0,40}(?:job|step)|wall ?(?:clock )?time (?:limit )?exceeded/i,
  ]),
  ...rows('cause', 'preempted', 'medium', [
    /\bHost EC2 .{0,60}terminated|\bPreempted in order to\b|imminent node shutdown/,
  ]),
  ...rows('cause', 'capacity', 'medium', [
    /[Ff]ailed (?:to provision|provisioning)\b|[Ff]ailed to acquire (?:resources|instances|nodes)|could not find a node type|new workers to be provisioned/,
  ]),
  ...rows('cause', 'unknown', 'low', [
    // Somebody took the job away; a scheduler that does so says why.
    /\*\*\* JOB \d{1,12} ON \S{1,80} CANCELLED AT \S{1,40} \*\*\*/,
  ]),
  ...rows('effect', 'capacity', 'medium', [/\bqueued and waiting for resources\b/]),
  ...rows('effect', 'infra-cluster', 'medium', [
    /CoordinationService\/\w/,
    /ORTE (?:was unable|has lost)|error dialing backend/,
    /\blame workers? found|tried to connect with a different incarnation|\bc10d\b.{0,200}waitForInput|\bpoolFD failed\b/,
    // Containers that a scheduler starts: what they died of may be printed behind it.
    /\bpyxis: (?:couldn't|container start failed|failed)|\benroot-\w{1,20}: failed|\bspank: required plugin/,
    /\b(?:Non-OK-status|Check failed): .{0,400}\bunavailable: (?!.{0,200}(?:transport|socket|connect))/i,
    /^(?:tensorflow\.[\w.]{1,80}\.)?(?:Unavailable|Aborted)Error: /,
    /\bray\.exceptions\.(?:GetTimeout|ObjectFetchTimedOut|ObjectReconstructionFailed|ObjectFreed)\w{0,20}Error|\bmpi\/pmix\w{0,4}: .{0,160}(?:timeout|error|abort)/,
    // What kept it from running stands in the events below it.
    /\bRunContainerError\b/,
    /\bping threshold\b|\bevent=worker_fail/,
    /(?:Xla|Jax)RuntimeError: (?:DEADLINE_EXCEEDED|UNAVAILABLE|ABORTED)\b/,
    /ActorUnavailableError|The actor is unavailable|LocalRayletDiedError|ObjectLostError|ReferenceCountingAssertionError|RaySystemError/,
    named('barrier-timeout', /DEADLINE_EXCEEDED: Barrier timed out/),
    named('coordination-service', /tensorflow\.CoordinationService/),
    /Barrier timed out|[Cc]oordination ?[Ss]ervice.{0,80}(?:error|unavailable|died|shut|fail|heartbeat)|coordination service agent|JAX distributed service.{0,60}(?:detected|fatal|fail)|Terminating process because the (?:JAX|coordinator)/,
    /[Cc]oscheduled sibling\b.{0,120}\bfailed|COSCHED_FAILED|\bworker_failed\b/,
    /unresponsive (?:workers?|hosts?|tasks?|slices?|nodes?)\b/i,
    /RendezvousTimeoutError|RendezvousClosedError|[Rr]endezvous.{0,60}(?:timed? ?out|closed|fail)/,
  ]),
  ...rows('effect', 'stalled', 'medium', [
    /waiting for remainder of ranks|[Tt]imed out .{0,60}waiting for (?:all|other) (?:workers|ranks|hosts|processes|tasks)|[Tt]imed out .{0,60}\bstore based barrier\b|\bnot (?:finished|done|completed?) (?:after|within|in) \d{3,6} ?s/,
    // Python's own, of whoever asked for it.
    /^Timeout \(\d{1,4}:\d\d:\d\d(?:\.\d{1,6})?\)!$/,
    /[Ww]atchdog caught collective operation timeout|[Ww]atchdog got stuck for \d|without making progress in monitoring|collective operation timeout|ran for \d{1,12} milliseconds before timing out|\bCollective \w{1,40}\(.{1,200} timed out after|heartbeat monitor timed out|taking the entire process down|Some NCCL operations have failed or timed out|failed to pass monitoredBarrier|monitoredBarrier.{0,100}(?:timeout|failed to pass)|Timed out waiting \d+ ?ms for (?:recv|send)|Timeout(?:Error)?\b.{0,60}(?:all_?reduce|all_?gather|barrier|broadcast|collective)|Stop_waiting response is expected/i,
  ]),
  ...rows('effect', 'stalled', 'low', [/\bwaiting for \w{0,20} ?barrier\b/]),
  ...rows('effect', 'preempted', 'medium', [
    // Half written, because there was no more time.
    /\bgrace (?:period|time) (?:is )?(?:over|expired|exceeded|elapsed)\b/,
  ]),
  ...rows('effect', 'unknown', 'low', [
    // Somebody has ended it, and nobody says who.
    /\bexit(?:ed)?(?: with)?[ _]?(?:code|status)?[ :=]{0,3}143\b/,
    /[Rr]eceived (?:a )?(?:signal )?(?:SIGTERM|signal 15|SIGUSR1)|[Cc]aught signal (?:15|SIGTERM)|Signal 15 \(SIGTERM\)|SignalException: Process \d+ got signal: 15/,
    // Whoever waited for a process says that it is gone, and lists what such things may come of.
    /RayActorError|ActorDiedError|WorkerCrashedError|The actor (?:died|is dead)/,
  ]),
  ...rows('hint', 'stalled', 'low', [/\b(?:last_)?step_age(?:_s)?['"]?[=:] ?\d{4,7}s?\b/]),
  ...rows('hint', 'infra-cluster', 'low', [
    /\bMPI_ERRORS_ARE_FATAL\b|abort before MPI_INIT/,
    // A cloud that cannot say more.
    /internal error\. Please try again|[Pp]lease try again,? or contact (?:\w{1,20} )?support/i,
    /JOB_ENTRYPOINT_COMMAND_START_ERROR|Job supervisor actor (?:died|failed)|Unexpected error occurred: The actor died/,
  ]),
];
