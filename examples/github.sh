# Roles and environments with which jobs on GitHub deploy (docs/deploy-from-github.md). Set REPOSITORY, then source it:
#   REPOSITORY=your-organization/your-repository
#   . examples/github.sh
# shellcheck shell=bash

ACCOUNT=$(aws sts get-caller-identity --query Account --output text)

# Creates a role for each environment, which only the jobs of that environment may take.
create_roles() {
  SUBJECT=$(gh api "repos/$REPOSITORY/actions/oidc/customization/sub" --jq '.sub_claim_prefix // empty')
  for ENVIRONMENT in "$@"; do
    aws iam create-role --role-name "testimonials-$ENVIRONMENT-github" --assume-role-policy-document '{
      "Version": "2012-10-17", "Statement": [{
        "Effect": "Allow", "Action": "sts:AssumeRoleWithWebIdentity",
        "Principal": {"Federated": "arn:aws:iam::'$ACCOUNT':oidc-provider/token.actions.githubusercontent.com"},
        "Condition": {"StringEquals": {
          "token.actions.githubusercontent.com:aud": "sts.amazonaws.com",
          "token.actions.githubusercontent.com:sub": "'"${SUBJECT:-repo:$REPOSITORY}"':environment:'$ENVIRONMENT'"}}}]}'
    ALLOWED='"Action": "sts:AssumeRole", "Resource": "arn:aws:iam::'$ACCOUNT':role/cdk-hnb659fds-*-role-*"'
    [ $ENVIRONMENT = prod-changes ] && ALLOWED='"Action": ["cloudformation:DescribeStacks", "cloudformation:GetTemplate"],
      "Resource": "arn:aws:cloudformation:*:'$ACCOUNT':stack/testimonials-prod*/*"'
    aws iam put-role-policy --role-name "testimonials-$ENVIRONMENT-github" --policy-name cdk --policy-document '{
      "Version": "2012-10-17", "Statement": [{"Effect": "Allow", '"$ALLOWED"'}]}'
  done
}

# Creates the environments on GitHub, for jobs of main only, with the names of their roles.
create_environments() {
  for ENVIRONMENT in "$@"; do
    gh api --method PUT "repos/$REPOSITORY/environments/$ENVIRONMENT" --silent \
      -F 'deployment_branch_policy[protected_branches]=false' -F 'deployment_branch_policy[custom_branch_policies]=true'
    gh api --method POST "repos/$REPOSITORY/environments/$ENVIRONMENT/deployment-branch-policies" --silent -f name=main
    gh variable set DEPLOY_ROLE --repo "$REPOSITORY" --env "$ENVIRONMENT" \
      --body "arn:aws:iam::$ACCOUNT:role/testimonials-$ENVIRONMENT-github"
  done
}
