import { expect, it } from 'vitest';
import type { Connector } from '../../code/connector-step.ts';
import { operationEntries, presetOfOperation } from '../../code/connector-step.ts';
import type { JsonSchema } from '../../json/json-schema.ts';
import { connectorSchema, retitledOperation, usualCredential } from './connector-schema.ts';

const SHOP: Connector = {
  name: 'shop', title: 'Shop', description: 'Sells things', keywords: ['store'], own: true, credential: 'An API key of the shop.',
  variables: [{ name: 'site', description: 'Your site', values: [] }],
  operations: [{ name: 'get_user', title: 'Get a user', group: 'Users', deprecated: false }, { name: 'old', title: 'Old', deprecated: true }],
};
const CONFIG: JsonSchema = {
  type: 'object', properties: {
    connector: { type: 'string', title: 'Connector' }, operation: { type: 'string', title: 'Operation' }, credential: { type: 'string', title: 'Credential' },
    params: { type: 'object', title: 'Parameters', additionalProperties: true, 'x-ui': { widget: 'keyvalue' } }, variables: { type: 'object', title: 'Variables' }, fields: { type: 'string', title: 'Fields', 'x-ui': { widget: 'code' } },
  },
};
const node = { type: 'connector.call', title: 'Get a user', config: { connector: 'shop', operation: 'get_user' } };
const operation = { title: 'Get a user', description: 'By id', writes: false, params: { type: 'object', required: ['id'], properties: { id: { type: 'integer', 'x-cel': true } } }, output: null };

it('shows a form of the chosen operation', () => {
  const { properties } = connectorSchema(CONFIG, node, [SHOP], operation);
  expect(properties?.['operation']?.enum).toEqual(['get_user', 'old']);
  expect(properties?.['operation']?.description).toBe('By id');
  expect(properties?.['params']).toMatchObject({ title: 'Parameters', required: ['id'], 'x-ui': { widget: 'object' } });
  // Hints of the file do not change how forms behave.
  expect(properties?.['params']?.properties?.['id']).toEqual({ type: 'integer' });
  expect(properties?.['credential']?.description).toBe('An API key of the shop.');
  expect(properties?.['variables']).toMatchObject({ required: ['site'], properties: { site: { description: 'Your site' } } });
});

it('keeps what this machine does not know', () => {
  const { properties } = connectorSchema(CONFIG, { ...node, config: { connector: 'gone', operation: 'x' } }, [SHOP], undefined);
  expect(properties?.['connector']?.enum).toEqual(['shop', 'gone']);
  expect(properties?.['params']).toEqual(CONFIG.properties?.['params']);
});

it('shows fields to select where the operation has some', () => {
  const fields = (config: object, found: typeof operation & { fields?: string }) => connectorSchema(CONFIG, { ...node, config: { ...node.config, ...config } }, [SHOP], found).properties?.['fields'];
  expect(fields({}, operation)).toBeUndefined();
  expect(fields({ fields: 'id' }, operation)).toBeDefined();
  expect(fields({}, { ...operation, fields: 'id login' })?.['x-ui']).toEqual({ widget: 'code', placeholder: 'id login' });
});

it('offers operations as steps, and renames a step that nobody named', () => {
  const [entry, ...others] = operationEntries([SHOP]);
  expect(others).toEqual([]);
  expect(entry && presetOfOperation(entry)).toEqual({ title: 'Get a user', config: { connector: 'shop', operation: 'get_user' } });
  const edit = { path: ['operation'], value: 'old' };
  expect(retitledOperation(node, edit, [SHOP])).toBe('Old');
  expect(retitledOperation({ ...node, title: 'Mine' }, edit, [SHOP])).toBeUndefined();
});

it('a step begins with the credential of the import, and another connector brings its own', () => {
  const desk: Connector = { ...SHOP, name: 'desk', usualCredential: 'secret://desk' };
  const [entry] = operationEntries([desk]);
  expect(entry && presetOfOperation(entry).config).toEqual({ connector: 'desk', operation: 'get_user', credential: 'secret://desk' });
  const change = (credential: string | undefined, value: string) => usualCredential({ ...node, config: { ...node.config, connector: value === 'desk' ? 'shop' : 'desk', ...(credential === undefined ? {} : { credential }) } }, { path: ['connector'], value }, [SHOP, desk]);
  expect(change(undefined, 'desk')).toBe('secret://desk');
  expect(change('secret://desk', 'shop')).toBeNull();
  // What a person chose stays.
  expect(change('secret://mine', 'desk')).toBeUndefined();
  expect(change(undefined, 'shop')).toBeUndefined();
});
