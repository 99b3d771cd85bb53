"""A worker of Iris whose tasks are processes of this machine. Iris starts its own with containers alone.

Arguments: the controller's address, a folder, a port, the worker's name, and thousandths of a core.
"""

import sys
from pathlib import Path

from iris.cluster.bundle import BundleStore
from iris.cluster.runtime.process import ProcessRuntime
from iris.cluster.worker.worker import Worker, WorkerConfig

controller, folder, port, name, cpu_millicores = sys.argv[1:]
cache = Path(folder)
worker = Worker(
    WorkerConfig(
        host="127.0.0.1",
        port=int(port),
        cache_dir=cache,
        controller_address=controller,
        worker_id=name,
        default_task_image="none",
        cpu_millicores=int(cpu_millicores),
    ),
    bundle_store=BundleStore(
        storage_dir=str(cache / "bundles"), controller_address=controller, max_cache_items=100
    ),
    container_runtime=ProcessRuntime(cache_dir=cache),
)
worker.start()
worker.wait()
