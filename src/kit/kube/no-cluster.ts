/** There is no cluster to talk to, or no way to find out which. Says what to give. */
export class NoCluster extends Error {
  override readonly name = 'NoCluster';
}
