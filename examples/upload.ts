/** Uploads a file, for a deployment with `media=true`. */
import { client } from './client.ts';

/**
 * Uploads a file and returns its upload, which a create claims as `media: { [kind]: upload }`.
 */
export async function upload(kind: 'photo' | 'recording' | 'poster', file: Blob): Promise<string> {
  const { data } = await client.POST('/v1/uploads', { body: { kind, type: file.type, bytes: file.size } });
  if (!data) throw new Error('The upload was refused');
  const form = new FormData();
  for (const [name, value] of Object.entries(data.fields)) form.append(name, value);
  form.append('file', file);
  const { ok, status } = await fetch(data.url, { method: 'POST', body: form });
  if (!ok) throw new Error(`The bucket refuses the file with ${status}`);
  return data.upload;
}
