/** Puts bytes among the downloads of a browser. They are never opened as a page. */
export function downloadBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob.slice(0, blob.size, 'application/octet-stream'));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
