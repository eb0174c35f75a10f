/** The templates of a stage, in all its regions. */
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { synthesizeDeclared } from './synthesized.ts';

type Values = Record<string, unknown>;

/** Returns the templates of a stage, by the names of their stacks. */
export function templatesOf(values: Values): Record<string, Resources> {
  const { app } = synthesizeDeclared({ stage: 'prod', ...values });
  const stacks = app.node.findAll().filter((node) => node instanceof Stack);
  return Object.fromEntries(
    stacks.map((stack) => [stack.stackName, Template.fromStack(stack).toJSON().Resources]),
  );
}

interface Resource {
  Type: string;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
  Properties?: Values;
}
type Resources = Record<string, Resource>;
