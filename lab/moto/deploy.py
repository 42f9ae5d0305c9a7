"""Creates CloudFormation stacks on moto, in this process and without a network.

Reads {"name": template, ...} from standard input. Prints {"name": {"created": [[logical id, type], ...], "error": null}, ...};
`error` is what moto answered, or the exception that it ended with.
"""

import json
import logging
import os
import sys

os.environ.update(AWS_ACCESS_KEY_ID="x", AWS_SECRET_ACCESS_KEY="x", AWS_DEFAULT_REGION="us-east-1")

import boto3
from moto import mock_aws


def create(template):
    with mock_aws():
        # What `cdk bootstrap` makes.
        boto3.client("s3").create_bucket(Bucket="cdk-hnb659fds-assets-123456789012-us-east-1")
        boto3.client("ssm").put_parameter(Name="/cdk-bootstrap/hnb659fds/version", Value="22", Type="String")
        cloudformation = boto3.client("cloudformation")
        try:
            cloudformation.create_stack(
                StackName="Assay", TemplateBody=json.dumps(template), Capabilities=["CAPABILITY_IAM"]
            )
        except Exception as error:
            return {"created": [], "error": f"{type(error).__name__}: {error}"[:300]}
        pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName="Assay")
        created = [
            [each["LogicalResourceId"], each["ResourceType"]]
            for page in pages
            for each in page["StackResourceSummaries"]
            if each["ResourceStatus"] == "CREATE_COMPLETE"
        ]
        return {"created": created, "error": None}


logging.disable(logging.CRITICAL)
json.dump({name: create(template) for name, template in json.load(sys.stdin).items()}, sys.stdout)
