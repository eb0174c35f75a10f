#!/usr/bin/env bash
# Provokes each 4xx of docs/client.md that needs no race and no flood. It needs TESTIMONIALS_URL,
# TESTIMONIALS_TOKEN and, for the third, READ_TOKEN, which may only read: npm run --silent admin -- token issue --organization demo --permission testimonials:read

# 400 `bad_request`: a parameter is out of range.
curl "$TESTIMONIALS_URL/v1/testimonials?limit=0" -H "Authorization: Bearer $TESTIMONIALS_TOKEN"

# 401 `unauthorized`: there is no token.
curl "$TESTIMONIALS_URL/v1/testimonials"

# 403 `forbidden`: the token may only read.
curl "$TESTIMONIALS_URL/v1/testimonials" -H "Authorization: Bearer $READ_TOKEN" \
  -H 'Content-Type: application/json' -d '{}'

# 404 `not_found`: the path does not exist.
curl "$TESTIMONIALS_URL/v1/nothing" -H "Authorization: Bearer $TESTIMONIALS_TOKEN"

# 422 `validation_error`: the text is too short, and other fields are missing.
curl "$TESTIMONIALS_URL/v1/testimonials" -H "Authorization: Bearer $TESTIMONIALS_TOKEN" \
  -H 'Content-Type: application/json' -d '{"content":"Too short"}'

# 422 `idempotency_key_reused`: the second request has the same key and another body.
for word in good great; do
  curl "$TESTIMONIALS_URL/v1/testimonials" -H "Authorization: Bearer $TESTIMONIALS_TOKEN" \
    -H 'Content-Type: application/json' -H 'Idempotency-Key: one-key' \
    -d "{\"content\":\"A $word product\",\"author\":{\"name\":\"Jo\",\"email\":\"jo@example.com\"},\"type\":\"text\"}"
done
