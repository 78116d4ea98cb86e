/** The step kinds, in the language of the window. */
import { useCommand } from '../api/queries.ts';
import { localKinds } from '../i18n/index.ts';

export const useCatalog = () => useCommand('catalog_list', {}, { staleTime: Infinity, select: localKinds });
