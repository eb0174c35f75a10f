/** Finds out which names of the browser and the language a script uses. */
import { parse } from '@swc/core';

/**
 * A member that a script reads, such as `append`; `of` is the name before it, if it is one: `Math` in
 * `Math.min`.
 */
export interface MemberUse {
  of: string | undefined;
  name: string;
  isCalled: boolean;
}

export interface ScriptUses {
  /** The names that stand alone: variables, functions and globals. */
  names: Set<string>;
  members: MemberUse[];
}

/** A node of swc's syntax tree, as far as it matters here. */
interface Node {
  type?: string;
  value?: unknown;
  object?: Node;
  property?: Node & { expression?: Node };
  key?: Node;
  callee?: Node;
  base?: Node & { arguments?: unknown };
}

/** Returns what a script uses, except methods that it calls only if they exist: `sheet.hidePopover?.()`. */
export async function usesOf(script: string): Promise<ScriptUses> {
  const uses: ScriptUses = { names: new Set(), members: [] };
  const visit = (node: Node, parent: Node = {}): void => {
    const { type, value, object, property, key, base } = node;
    if (type === 'OptionalChainingExpression' && base?.callee?.type === 'MemberExpression') {
      visit({ object: base.callee.object ?? {}, base: { arguments: base.arguments } } as Node);
      return;
    }
    if (type === 'Identifier') uses.names.add(String(value));
    const member = type === 'MemberExpression' ? (property?.expression ?? property) : key;
    // `a.b`, `a['b']`, and `const { b } = a`.
    if (type === 'MemberExpression' || type?.endsWith('PatternProperty')) {
      const isCalled = parent.callee === node;
      uses.members.push({ of: object && nameOf(object), name: nameOf(member ?? {}) ?? '', isCalled });
    }
    for (const child of Object.values(node)) {
      if (typeof child !== 'object' || child === null) continue;
      const isName = (child === property || child === key) && (child as Node).type === 'Identifier';
      if (!isName) visit(child as Node, node); // a node, or a list of nodes
    }
  };
  visit((await parse(script, { syntax: 'ecmascript', explicitResourceManagement: true })) as Node); // a node of the tree
  return uses;
}

function nameOf({ type, value }: Node): string | undefined {
  return type === 'Identifier' || type === 'StringLiteral' ? String(value) : undefined;
}
