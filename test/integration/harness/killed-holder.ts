/** Run by keeper.test.ts as a process to be killed: starts a control plane, says what there is of it, and stays. */
import { startControlPlane } from '../../harness/control-plane.ts';

const { directory, etcd, apiServer } = await startControlPlane();
process.stdout.write(`${JSON.stringify({ directory, pids: [etcd.pid, apiServer.pid] })}\n`);
