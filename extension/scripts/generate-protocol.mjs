// Writes src/protocol.gen.ts from ../schemas/protocol.json; with --check it only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const SCHEMA = path.join(HERE, '../../schemas/protocol.json');
const TYPES = path.join(HERE, '../src/protocol.gen.ts');

const schema = JSON.parse(readFileSync(SCHEMA, 'utf8'));
const definitions = schema.$defs ?? {};
const nameOf = (ref) => ref.split('/').at(-1);

/** Names of the definitions that `roots` lead to. */
function reachable(roots) {
  const seen = new Set();
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (node === null || typeof node !== 'object') return;
    if (typeof node.$ref === 'string' && !seen.has(nameOf(node.$ref))) {
      seen.add(nameOf(node.$ref));
      visit(definitions[nameOf(node.$ref)]);
    }
    Object.values(node).forEach(visit);
  };
  visit(roots);
  return seen;
}

const operations = [
  ...Object.entries(schema.operations),
  ...Object.entries(schema.requests).map(([method, request]) => [method, { method, ...request }]),
];
const notifications = Object.entries(schema.notifications);
const told = notifications.filter(([method]) => method.startsWith('vouch/did'));
const received = reachable([
  ...operations.map(([, operation]) => operation.result),
  ...told.map(([, notification]) => notification.params),
]);

const doc = (text, indent = '') =>
  text ? `${indent}/** ${text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')} */\n` : '';
const key = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

function typeOf(node) {
  if (node === true || node === undefined) return 'unknown';
  if (node.$ref) return nameOf(node.$ref);
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.enum) return node.enum.map((value) => JSON.stringify(value)).join(' | ');
  const union = node.anyOf ?? node.oneOf ?? node.allOf;
  if (union) return [...new Set(union.map(typeOf))].join(node.allOf ? ' & ' : ' | ');
  if (Array.isArray(node.type))
    return node.type.map((type) => typeOf({ ...node, type })).join(' | ');
  switch (node.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return node.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array': {
      const item = typeOf(node.items);
      return /^\w+$/.test(item) ? `readonly ${item}[]` : `readonly (${item})[]`;
    }
    case 'object':
      return node.properties
        ? `{\n${fields(node, true)}}`
        : `Readonly<Record<string, ${typeOf(node.additionalProperties)}>>`;
    default:
      return 'unknown';
  }
}

/** What the server sends holds every field that is not marked absent; what it takes may leave out defaults. */
function fields(node, sent) {
  return Object.entries(node.properties ?? {})
    .map(([name, property]) => {
      const optional = property['x-absent'] || (!sent && !(node.required ?? []).includes(name));
      return `${doc(property.description, '  ')}  readonly ${key(name)}${optional ? '?' : ''}: ${typeOf(property)};\n`;
    })
    .join('');
}

const declaration = ([name, node]) =>
  node.type === 'object' && node.properties
    ? `${doc(node.description)}export interface ${name} {\n${fields(node, received.has(name))}}\n`
    : `${doc(node.description)}export type ${name} = ${typeOf(node)};\n`;

const text = `// Generated from schemas/protocol.json by \`npm run generate\`; changes here are lost.

/** The protocol that these types belong to. */
export const PROTOCOL = ${schema.protocol};

// The language and scheme of prompts, rows of a push at most, what ids of topics begin with, seconds from 1970 to the end of a pause without one.
${Object.entries(schema.constants)
  .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
  .join('')}
/** The weights of experts, with what a heading says of each. */
export const WEIGHTS: Readonly<Record<string, string>> = ${JSON.stringify(definitions.ExpertsParams?.properties.weight['x-titles'] ?? {}, null, 2)};

${Object.entries(definitions)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(declaration)
  .join('\n')}
/** Params and result of every request, by method. */
export interface Requests {
${operations.map(([, { method, params, result }]) => `  ${key(method)}: { params: ${typeOf(params)}; result: ${typeOf(result)} };\n`).join('')}}

/** Params of every notification, by method. */
export interface Notifications {
${notifications.map(([method, { params }]) => `  ${key(method)}: ${typeOf(params)};\n`).join('')}}
`;

if (!process.argv.includes('--check')) {
  writeFileSync(TYPES, text);
} else if (readFileSync(TYPES, 'utf8') !== text) {
  console.error('src/protocol.gen.ts is not what the schemas give: run `npm run generate`.');
  process.exitCode = 1;
}
