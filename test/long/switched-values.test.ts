/** Each value of a stage, switched off and on again: no resource with data is replaced or deleted. */
import { expect, test } from '@jest/globals';
import { everything, templatesOf, withoutValue } from '../infrastructure/synthesized.ts';
import { someOf } from '../some-of.ts';

/**
 * Types of resources with data or secrets, and the properties by whose change CloudFormation replaces them.
 */
const withData: Record<string, readonly string[]> = {
  'AWS::DynamoDB::GlobalTable': ['TableName', 'KeySchema', 'LocalSecondaryIndexes'],
  'AWS::Logs::LogGroup': ['LogGroupName'],
  'AWS::SQS::Queue': ['QueueName', 'FifoQueue'],
  'AWS::SecretsManager::Secret': ['Name'],
  'AWS::Backup::BackupVault': ['BackupVaultName', 'EncryptionKeyArn'],
};

const complete = templatesOf(everything);

test.each(someOf(Object.keys(everything)))(
  'a deployment without %s, and with it again, replaces and deletes no data',
  (name) => {
    const without = templatesOf(withoutValue(name));
    for (const [stack, resources] of Object.entries(complete)) {
      for (const [id, { Type, DeletionPolicy, UpdateReplacePolicy, Properties }] of Object.entries(
        resources,
      )) {
        const replacing = withData[Type];
        // The queue of checks has nothing that anyone needs after a deployment.
        if (!replacing || id.startsWith('RolloutChecks')) continue;
        expect({ id, DeletionPolicy, UpdateReplacePolicy }).toEqual({
          id,
          DeletionPolicy: 'RetainExceptOnCreate',
          UpdateReplacePolicy: 'Retain',
        });
        const other = without[stack]?.[id];
        // Resources that the new template lacks are retained.
        for (const property of other ? replacing : [])
          expect(other?.Properties?.[property]).toEqual(Properties?.[property]);
      }
    }
    // The other resources keep their ids, so none is replaced.
    for (const [stack, resources] of Object.entries(without)) {
      const kept = Object.entries(resources).filter(([, { Type }]) => Type in withData);
      for (const [id] of kept) expect(complete[stack]).toHaveProperty(id);
    }
    expect(without).not.toEqual(complete);
  },
);
