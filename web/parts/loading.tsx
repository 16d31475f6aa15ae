/** What is shown until there is something to show. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <div class="loading" role="status">
      <p>{what}</p>
      <div class="skeleton wide" />
      <div class="skeleton" />
      <div class="skeleton short" />
    </div>
  );
}
