/** What it means that the objects of a job are not found: its kind is not installed, or there is no cluster at all. */
import type { ApiError } from '../kit/kube/api-error.ts';
import type { Job } from './jobs.ts';

/** Those that look after objects of a kind of their own. What the others look after is in every cluster. */
const WITH_A_KIND: ReadonlySet<Job> = new Set<Job>(['pool', 'sync']);

/** In words. Throws where no Kubernetes can have answered: then nothing that was answered is worth a line. */
export function notInstalled(job: Job, cause: ApiError): string {
  if (WITH_A_KIND.has(job)) return 'its kind of object is not installed in this cluster';
  throw new Error(
    `${cause.request}: not found, though every cluster has it. This is not a Kubernetes API server: see the server of the kubeconfig, or --master`,
    { cause },
  );
}
