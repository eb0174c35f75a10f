/** Endpoint discovery, which would fill this cache, is off in the SDK's DynamoDB client unless somebody asks for it. */
export class EndpointCache {}
