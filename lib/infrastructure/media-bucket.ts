/** The bucket with photos and recordings, and the rights of functions to it. */
import { type CfnElement, Duration, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  HttpMethods,
  ObjectOwnership,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { MediaEnvironment } from '../../functions/environment.ts';
import { draftTag } from '../../functions/media/bucket.ts';
import { startOfCheckIds } from '../../functions/media/media-view.ts';
import type { Stage } from './context.ts';
import { bucketStatements, type TableRights } from './table-rights.ts';

const bucketVariable: keyof MediaEnvironment = 'MEDIA_BUCKET';

// S3 deletes an object at midnight (UTC) after this time, so within two days.
const expiration = Duration.days(1);

export class MediaBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      // An erasure must delete the bytes, so there are no versions.
      versioned: false,
      // The signature of a form is the permission to send it. Scripts cannot read objects.
      cors: [{ allowedMethods: [HttpMethods.POST], allowedOrigins: ['*'] }],
      lifecycleRules: [
        { id: 'uploads', prefix: 'in/', expiration },
        { id: 'drafts', prefix: 'm/', tagFilters: { [draftTag.key]: draftTag.value }, expiration },
        // A check removes its organizations without erasing their testimonials.
        { id: 'checks', prefix: `m/${startOfCheckIds}`, expiration },
      ],
      removalPolicy: stage.removalPolicy,
    });
    Validations.of(this.bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'Access logs would keep the addresses of visitors. The functions log each upload and play.',
    });
  }

  /** Grants a function its rights to the bucket, and sets its variable with the bucket's name. */
  allow(fn: LambdaFunction, rights: TableRights): void {
    fn.addEnvironment(bucketVariable, this.bucket.bucketName);
    // Every bucket has it.
    const id = Stack.of(this).getLogicalId(this.bucket.node.defaultChild as CfnElement);
    for (const statement of bucketStatements(rights, this.bucket.bucketArn)) {
      fn.addToRolePolicy(PolicyStatement.fromJson(statement));
      const [keys] = statement.Resource.map((arn) => arn.slice(this.bucket.bucketArn.length));
      Validations.of(fn.role ?? fn).acknowledge({
        id: `AwsSolutions-IAM5[Resource::<${id}.Arn>${keys}]`,
        reason: 'The objects of one kind: their keys are digests and random digits.',
      });
    }
  }
}
