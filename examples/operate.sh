# Names, logs and rollouts of a deployed stack, for the commands of docs/alarms.md, docs/operations.md and
# docs/recovery.md. Set STACK, then source it:
#   STACK=testimonials-prod
#   . examples/operate.sh
# shellcheck shell=bash

TABLE=$(aws cloudformation describe-stacks --stack-name $STACK --output text \
  --query "Stacks[0].Outputs[?OutputKey=='TableName'].OutputValue")

# Prints the name of a resource, by its type and the beginning of its id.
named() {
  aws cloudformation list-stack-resources --stack-name $STACK --output text \
    --query "StackResourceSummaries[?ResourceType=='$1' && starts_with(LogicalResourceId, '$2')].PhysicalResourceId"
}

# Prints the lines that match a pattern, of the last hour or the last HOURS, in the logs whose ids begin like this.
logged() {
  for each in $(named AWS::Logs::LogGroup "$1"); do
    aws logs filter-log-events --log-group-name "$each" --output text --query 'events[].[message]' \
      --start-time $((($(date +%s) - ${HOURS:-1} * 3600) * 1000)) --filter-pattern "$2"
  done
}

# Prints the errors of a function, or of all with errors ''.
errors() { logged "$1" '{ $.level = "ERROR" }'; }

# Prints a field of the stream mapping of a function, such as its UUID or State.
mapping() {
  aws lambda list-event-source-mappings --function-name "$(named AWS::Lambda::Function "$1"):live" --output text \
    --query "EventSourceMappings[0].$2"
}

# Lets alarms stop rollouts (true), or not (false).
alarms_stop_rollouts() {
  APPLICATION=$(named AWS::CodeDeploy::Application Rollout)
  for GROUP in $(named AWS::CodeDeploy::DeploymentGroup Rollout); do
    ALARMS=$(aws deploy get-deployment-group --application-name "$APPLICATION" --deployment-group-name "$GROUP" \
      --query 'deploymentGroupInfo.alarmConfiguration.alarms')
    aws deploy update-deployment-group --application-name "$APPLICATION" --current-deployment-group-name "$GROUP" \
      --alarm-configuration "{\"enabled\": $1, \"alarms\": $ALARMS}"
  done
}

# Prints the ids of the rollouts in progress.
rollouts() {
  for GROUP in $(named AWS::CodeDeploy::DeploymentGroup Rollout); do
    aws deploy list-deployments --application-name "$(named AWS::CodeDeploy::Application Rollout)" \
      --deployment-group-name "$GROUP" --include-only-statuses InProgress --query deployments --output text
  done
}

# Sets the pace of rollouts, such as CodeDeployDefault.LambdaAllAtOnce.
roll_out_by() {
  for GROUP in $(named AWS::CodeDeploy::DeploymentGroup Rollout); do
    aws deploy update-deployment-group --application-name "$(named AWS::CodeDeploy::Application Rollout)" \
      --current-deployment-group-name "$GROUP" --deployment-config-name "$1"
  done
}

# Points the functions of the API to the versions that they had at a time in UTC, such as 2026-11-29T10:00.
return_to() {
  for each in CreateTestimonial ListTestimonials ModerateTestimonials ServeDesk ServePages; do
    FUNCTION=$(named AWS::Lambda::Function "$each")
    [ -n "$FUNCTION" ] || continue
    # The versions are listed in the order of their creation.
    VERSION=$(aws lambda list-versions-by-function --function-name "$FUNCTION" --output text \
      --query 'Versions[].[Version,LastModified]' |
      awk -v time="$1" '$1 != "$LATEST" && $2 < time { version = $1 } END { print version }')
    if [ -z "$VERSION" ]; then
      echo "$each: no version is older than $1" >&2
      continue
    fi
    echo "$each: version $VERSION"
    aws lambda update-alias --function-name "$FUNCTION" --name live --function-version "$VERSION" \
      --routing-config AdditionalVersionWeights={} >/dev/null
  done
}

# Sends up to ten undelivered events to the bus again, prints those that it rejects, and deletes the messages of the others.
send_again() {
  QUEUE=$(named AWS::SQS::Queue EventsUndelivered)
  aws sqs receive-message --queue-url "$QUEUE" --message-attribute-names All --attribute-names All \
    --max-number-of-messages 10 --visibility-timeout 60 >undelivered.json
  jq --arg bus "$(named AWS::Events::EventBus EventsBus)" '[.Messages[].Body | fromjson
    | {EventBusName: $bus, Source: .source, DetailType: ."detail-type", Detail: (.detail | tojson)}]' undelivered.json >again.json
  aws events put-events --entries file://again.json >sent.json
  jq '.Entries[] | select(.ErrorCode)' sent.json
  jq -r --slurpfile sent sent.json '.Messages | to_entries[] | select($sent[0].Entries[.key].EventId) | .value.ReceiptHandle' \
    undelivered.json | while read -r HANDLE; do
    aws sqs delete-message --queue-url "$QUEUE" --receipt-handle "$HANDLE"
  done
}
