"""The whole program on real services: two VASPs, each with two workers and two gateways, around a sandbox hub."""
